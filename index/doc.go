// Package index holds what is known of the whole corpus: the immutable
// [Snapshot] that questions are asked of, and the SQLite database that makes
// the next start fast. It knows nothing of git, findings or the protocol, and
// the database is a cache: deleting it loses nothing but time.
package index
