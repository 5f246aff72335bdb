// Package failure holds the one error type that crosses room boundaries: a
// refusal or a breakdown with a code that callers branch on.
//
// It is not a logging or a wrapping library: inside a room plain errors
// wrapped with %w are used, and become a failure where the room is left.
package failure

import (
	"errors"
	"fmt"
)

// Code names a kind of failure. Codes are public and append only
// (cli.md "Error codes", M117): callers branch on them, never on the text.
type Code string

// The closed list of codes, in the order they were published.
const (
	UnknownCommand        Code = "ERR_UNKNOWN_COMMAND"
	MissingArgument       Code = "ERR_MISSING_ARGUMENT"
	InvalidFlag           Code = "ERR_INVALID_FLAG"
	PathNotFound          Code = "ERR_PATH_NOT_FOUND"
	InvalidMemory         Code = "ERR_INVALID_MEMORY"
	DuplicateContent      Code = "ERR_DUPLICATE_CONTENT"
	WriteConflict         Code = "ERR_WRITE_CONFLICT"
	DirtyDocument         Code = "ERR_DIRTY_DOCUMENT"
	StaleDocument         Code = "ERR_STALE_DOCUMENT"
	DestinationExists     Code = "ERR_DESTINATION_EXISTS"
	RoleConflict          Code = "ERR_ROLE_CONFLICT"
	WriterBusy            Code = "ERR_WRITER_BUSY"
	RunInFlight           Code = "ERR_RUN_IN_FLIGHT"
	GitState              Code = "ERR_GIT_STATE"
	Git                   Code = "ERR_GIT"
	HookRefused           Code = "ERR_HOOK_REFUSED"
	Signing               Code = "ERR_SIGNING"
	Identity              Code = "ERR_IDENTITY"
	IndexStale            Code = "ERR_INDEX_STALE"
	EmbedModelMismatch    Code = "ERR_EMBED_MODEL_MISMATCH"
	ModelUnavailable      Code = "ERR_MODEL_UNAVAILABLE"
	Storage               Code = "ERR_STORAGE"
	Cancelled             Code = "ERR_CANCELLED"
	UnsupportedRepository Code = "ERR_UNSUPPORTED_REPOSITORY"
	Unknown               Code = "ERR_UNKNOWN"
	Untrusted             Code = "ERR_UNTRUSTED"
)

// Error is a typed failure. Message is one sentence for a person that says
// what was refused; Suggestions say what to do. None of its texts carry
// memory text, SQL or command lines (M55).
type Error struct {
	Code        Code
	Message     string
	Suggestions []string
	// Data is optional detail for the result envelope, marshalled as JSON.
	Data any
	// Err is the cause, for logs and errors.Is; never shown to a person.
	Err error
}

// Error returns the message alone.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns an Error with a formatted message.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Suggest adds what the person can do and returns e.
func (e *Error) Suggest(suggestions ...string) *Error {
	e.Suggestions = append(e.Suggestions, suggestions...)
	return e
}

// Wrap records the cause and returns e.
func (e *Error) Wrap(err error) *Error {
	e.Err = err
	return e
}

// CodeOf returns the code of the first Error in err's chain, and Unknown for
// any other non-nil error.
func CodeOf(err error) Code {
	var f *Error
	if errors.As(err, &f) {
		return f.Code
	}
	return Unknown
}
