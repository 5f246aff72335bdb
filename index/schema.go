package index

import "strings"

// eligibleSQL is [File.Eligible] for a row of files. The partial index and
// every statement that wants it repeat it word for word, or the planner scans.
const eligibleSQL = "accepted = 1 AND archived = 0 AND type <> '" + exemptType + "'"

// framedSQL says that a row has a frame, for the same use.
const framedSQL = "frame_key <> ''"

// apartSQL says that the second tier of a row is not its first, for the same use.
// Where it is, as nearly always, the holders of the first are the second's too.
const apartSQL = "normal_hash <> content_hash"

// sessionedSQL says that a row names a session, supersedingSQL that a link is
// one to what its file superseded, for the same use.
const (
	sessionedSQL   = "session <> ''"
	supersedingSQL = "rel = '" + relSupersedes + "'"
)

// beforeSQL is [File.Before] for rows, which are all saved.
const beforeSQL = "tracked DESC, created, path"

// applicationID marks a database as ours, "mmls".
const applicationID = 0x6d6d6c73

// step takes the schema from one user_version to the next.
type step struct {
	sql string
	// rebuild says that rows made before the step are not what they would be
	// if made after it: they are dropped, and the next scan reads every file.
	rebuild bool
}

// steps is append only: a step that has been released is never edited. The
// user_version of a database is how many of them it has seen. A change of what
// [FromDocument] makes of the same bytes is a step too, without text and with
// rebuild: rows of files that did not move are not made again otherwise.
var steps = []step{{sql: `
CREATE TABLE files (
	path TEXT PRIMARY KEY,
	blob BLOB NOT NULL,
	content_hash BLOB NOT NULL,
	normal_hash BLOB NOT NULL,
	type TEXT NOT NULL,
	created TEXT NOT NULL,
	gist TEXT NOT NULL,
	frame_key TEXT NOT NULL,
	frame_value TEXT NOT NULL,
	shown_value TEXT NOT NULL,
	accepted INTEGER NOT NULL,
	archived INTEGER NOT NULL,
	flawed INTEGER NOT NULL,
	tracked INTEGER NOT NULL,
	unmerged INTEGER NOT NULL,
	unread TEXT NOT NULL,
	size INTEGER NOT NULL,
	mtime INTEGER NOT NULL,
	ctime INTEGER NOT NULL,
	inode INTEGER NOT NULL,
	seen INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX files_holders ON files (content_hash, ` + beforeSQL + `) WHERE ` + eligibleSQL + `;
CREATE TABLE links (
	path TEXT NOT NULL REFERENCES files (path) ON DELETE CASCADE ON UPDATE CASCADE,
	ordinal INTEGER NOT NULL,
	rel TEXT NOT NULL,
	target TEXT NOT NULL,
	alternate TEXT NOT NULL,
	PRIMARY KEY (path, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE claims (
	hash BLOB PRIMARY KEY,
	path TEXT NOT NULL UNIQUE REFERENCES files (path) ON DELETE CASCADE ON UPDATE CASCADE
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (
	key TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;`}, {sql: `
CREATE INDEX files_normals ON files (normal_hash, ` + beforeSQL + `) WHERE ` + eligibleSQL + `;
CREATE INDEX files_frames ON files (frame_key, ` + beforeSQL + `) WHERE ` + eligibleSQL + ` AND ` + framedSQL + `;`}, {sql: `
ALTER TABLE files ADD COLUMN session TEXT NOT NULL DEFAULT '';
ALTER TABLE files ADD COLUMN ended TEXT NOT NULL DEFAULT '';
CREATE INDEX files_sessions ON files (session) WHERE ` + sessionedSQL + `;
CREATE INDEX links_superseded ON links (target) WHERE ` + supersedingSQL + `;
CREATE TABLE sessions (
	path TEXT NOT NULL,
	session TEXT NOT NULL,
	kind TEXT NOT NULL CHECK (kind IN ('` + string(SessionWrote) + `', '` + string(SessionRead) + `', '` + string(SessionCorrected) + `', '` + string(SessionReinforced) + `')),
	at TEXT NOT NULL,
	PRIMARY KEY (path, session, kind, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_memories ON sessions (session);`, rebuild: true}, {sql: `
ALTER TABLE files ADD COLUMN task_status TEXT NOT NULL DEFAULT '';
ALTER TABLE files ADD COLUMN due TEXT NOT NULL DEFAULT '';
ALTER TABLE files ADD COLUMN valid_until TEXT NOT NULL DEFAULT '';
ALTER TABLE files ADD COLUMN superseded_by TEXT NOT NULL DEFAULT '';
ALTER TABLE files ADD COLUMN says_archived INTEGER NOT NULL DEFAULT 0;
ALTER TABLE files ADD COLUMN inverted INTEGER NOT NULL DEFAULT 0;`, rebuild: true}, {sql: `
CREATE TABLE vectors (
	embedder TEXT NOT NULL,
	name BLOB NOT NULL,
	vector BLOB NOT NULL,
	PRIMARY KEY (embedder, name)
) STRICT;`}, {sql: `
DROP INDEX files_normals;
CREATE INDEX files_normals ON files (normal_hash, ` + beforeSQL + `) WHERE ` + eligibleSQL + ` AND ` + apartSQL + `;`}, {sql: `
CREATE TABLE near (
	only INTEGER PRIMARY KEY CHECK (only = 1),
	rules TEXT NOT NULL,
	saved BLOB NOT NULL
) STRICT;`}}

// filesAtOnce is how many rows one statement inserts, which costs a fifth less than
// one each.
const filesAtOnce = 16

var (
	insertFilesSQL  = insertFileSQL + strings.Repeat(`, `+fileValues, filesAtOnce-1)
	insertClaimsSQL = insertClaimSQL + strings.Repeat(`, `+claimValues, filesAtOnce-1)
)

// clearSQL drops every row that is made from a file. What a session did is
// recorded nowhere else, and vectors may have cost somebody money: they stay.
const clearSQL = `DELETE FROM claims; DELETE FROM links; DELETE FROM files; DELETE FROM meta;`

// The statements. Those that write rows name the columns in the order in which
// [Row.values] gives them, those that read rows in the order in which [scanRow]
// takes them.
const (
	fileColumns = `path, blob, content_hash, normal_hash, type, created, gist, frame_key, frame_value,
	shown_value, task_status, due, valid_until, superseded_by, says_archived, inverted,
	accepted, archived, flawed, tracked, unmerged, unread, size, mtime, ctime, inode, seen,
	session, ended`

	// What a column costs is mostly the asking: a start reads every row, so that
	// what is seldom there is NULL, and all that is yes or no is one number.
	readColumns = `path, blob, content_hash, nullif(normal_hash, content_hash), type, created, gist,
	frame_key, frame_value, nullif(shown_value, frame_value),
	nullif(task_status, ''), nullif(due, ''), nullif(valid_until, ''), nullif(superseded_by, ''),
	nullif(unread, ''), nullif(session, ''), nullif(ended, ''),
	accepted | (flawed << 1) | (tracked << 2) | (unmerged << 3) | (says_archived << 4) | (inverted << 5),
	size, mtime, ctime, inode, seen`

	fileValues    = `(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`
	insertFileSQL = `INSERT INTO files (` + fileColumns + `) VALUES ` + fileValues

	// A row is never replaced, which would cascade to what hangs on it (P25).
	upsertFileSQL = insertFileSQL + ` ON CONFLICT (path) DO UPDATE SET
	blob = excluded.blob, content_hash = excluded.content_hash, normal_hash = excluded.normal_hash,
	type = excluded.type, created = excluded.created, gist = excluded.gist,
	frame_key = excluded.frame_key, frame_value = excluded.frame_value, shown_value = excluded.shown_value,
	task_status = excluded.task_status, due = excluded.due,
	valid_until = excluded.valid_until, superseded_by = excluded.superseded_by,
	says_archived = excluded.says_archived, inverted = excluded.inverted,
	accepted = excluded.accepted, archived = excluded.archived, flawed = excluded.flawed,
	tracked = excluded.tracked, unmerged = excluded.unmerged, unread = excluded.unread,
	size = excluded.size, mtime = excluded.mtime, ctime = excluded.ctime, inode = excluded.inode,
	seen = excluded.seen, session = excluded.session, ended = excluded.ended`

	selectFilesSQL = `SELECT ` + readColumns + ` FROM files ORDER BY path`
	selectHashSQL  = `SELECT content_hash FROM files WHERE path = ?`
	deleteFileSQL  = `DELETE FROM files WHERE path = ?`

	insertLinkSQL  = `INSERT INTO links (path, ordinal, rel, target, alternate) VALUES (?,?,?,?,?)`
	selectLinksSQL = `SELECT path, rel, target, alternate FROM links ORDER BY path, ordinal`
	deleteLinksSQL = `DELETE FROM links WHERE path = ?`

	// The questions of a command that is about to write: a list of keys each.
	contentHoldersSQL = `SELECT ` + readColumns + ` FROM files
WHERE content_hash IN (SELECT unhex(value) FROM json_each(?)) AND ` + eligibleSQL + ` ORDER BY content_hash, ` + beforeSQL
	// In no order, because each half has its own.
	normalHoldersSQL = `SELECT ` + readColumns + ` FROM files
WHERE normal_hash IN (SELECT unhex(value) FROM json_each(?1)) AND ` + eligibleSQL + ` AND ` + apartSQL + `
UNION ALL SELECT ` + readColumns + ` FROM files
WHERE content_hash IN (SELECT unhex(value) FROM json_each(?1)) AND ` + eligibleSQL + ` AND NOT ` + apartSQL
	frameHoldersSQL = `SELECT ` + readColumns + ` FROM files
WHERE frame_key IN (SELECT value FROM json_each(?)) AND ` + eligibleSQL + ` AND ` + framedSQL + ` ORDER BY frame_key, ` + beforeSQL
	claimsSQL    = `SELECT hash, path FROM claims WHERE hash IN (SELECT unhex(value) FROM json_each(?))`
	countUpToSQL = `SELECT count(*) FROM (SELECT 1 FROM files LIMIT ?)`

	holderSQL       = `SELECT path FROM claims WHERE hash = ?`
	claimValues     = `(?,?)`
	insertClaimSQL  = `INSERT INTO claims (hash, path) VALUES ` + claimValues
	releaseClaimSQL = `DELETE FROM claims WHERE hash = ?`
	grantClaimSQL   = `INSERT INTO claims (hash, path) SELECT content_hash, path FROM files
WHERE content_hash = ? AND ` + eligibleSQL + ` ORDER BY ` + beforeSQL + ` LIMIT 1`

	// How much of the database a connection keeps in memory, in KiB: a whole build
	// comes back to pages that the usual 2 MiB have no room for.
	manyPagesSQL = `PRAGMA cache_size = -16384`
	fewPagesSQL  = `PRAGMA cache_size = -2000`

	// The indexes of the rows that are made from files, without those that a
	// constraint makes.
	rowIndexesSQL = `SELECT name, sql FROM sqlite_schema
WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('files', 'links', 'claims')`

	selectMetaSQL = `SELECT value FROM meta WHERE key = ?`
	upsertMetaSQL = `INSERT INTO meta (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`

	selectVectorsSQL = `SELECT name, vector FROM vectors WHERE embedder = ? AND name IN (SELECT unhex(value) FROM json_each(?))`
	upsertVectorSQL  = `INSERT INTO vectors (embedder, name, vector) VALUES (?,?,?)
	ON CONFLICT (embedder, name) DO UPDATE SET vector = excluded.vector`
	// Rows of one embedder get growing numbers, so that the oldest go first.
	trimVectorsSQL = `DELETE FROM vectors WHERE rowid <= (SELECT rowid FROM vectors ORDER BY rowid DESC LIMIT 1 OFFSET ?)`

	selectNearSQL  = `SELECT saved FROM near WHERE rules = ?`
	replaceNearSQL = `INSERT INTO near (only, rules, saved) VALUES (1,?,?)
	ON CONFLICT (only) DO UPDATE SET rules = excluded.rules, saved = excluded.saved`

	recordSessionSQL = `INSERT INTO sessions (path, session, kind, at) VALUES (?,?,?,?) ON CONFLICT DO NOTHING`
	anySessionSQL    = `SELECT EXISTS (SELECT 1 FROM sessions)`
	// What was done to a memory before it was archived follows it; where another
	// stands in its place by now, what was done to that one stays.
	archiveSessionsSQL = `UPDATE OR REPLACE sessions SET path = ?2
WHERE path = ?1 AND (at < ?3 OR NOT EXISTS (SELECT 1 FROM files WHERE path = ?1))`
	restoreSessionsSQL = `UPDATE OR REPLACE sessions SET path = ?2 WHERE path = ?1`

	// What is recorded, and what the files say: who wrote a memory, and who wrote
	// another one in its favour at the moment it was archived.
	sessionsOfSQL = `SELECT path, session, kind, at FROM sessions WHERE path = ?1
UNION SELECT path, session, '` + string(SessionWrote) + `', created FROM files WHERE path = ?1 AND ` + sessionedSQL + `
UNION SELECT loser.path, winner.session, '` + string(SessionCorrected) + `', winner.created
	FROM links JOIN files winner ON winner.path = links.path JOIN files loser ON loser.path = links.target
	WHERE target = ?1 AND ` + supersedingSQL + ` AND winner.` + sessionedSQL + ` AND winner.created = loser.ended
ORDER BY at, session, kind`
	memoriesOfSQL = `SELECT sessions.path, sessions.session, kind, at FROM sessions JOIN files ON files.path = sessions.path
	WHERE sessions.session = ?1
UNION SELECT path, session, '` + string(SessionWrote) + `', created FROM files WHERE session = ?1 AND ` + sessionedSQL + `
UNION SELECT loser.path, winner.session, '` + string(SessionCorrected) + `', winner.created
	FROM files winner JOIN links ON links.path = winner.path AND ` + supersedingSQL + ` JOIN files loser ON loser.path = links.target
	WHERE winner.session = ?1 AND winner.` + sessionedSQL + ` AND winner.created = loser.ended
ORDER BY at, path, kind`
)
