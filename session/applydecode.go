package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// WriteOperation is one operation of a batch. Line is where it stands in the
// input, from 1 on, 0 when it stands in none.
type WriteOperation struct {
	WriteRequest
	Line int
}

// DecodeOperations reads one JSON object a line (cli.md "apply") and judges the
// whole input before anything is done with it: a line that is no operation, an
// unknown field and an unknown op refuse all of it and name the line. Blank
// lines are skipped and counted; an input without an operation is refused
// (M121). What an operation asks for is judged when it is applied.
func DecodeOperations(r io.Reader) ([]WriteOperation, error) {
	lines := bufio.NewReader(r)
	if mark, err := lines.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		_, _ = lines.Discard(len(byteOrderMark))
	}
	var operations []WriteOperation
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, failure.New(failure.Storage, "The operations cannot be read.").Wrap(err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			request, bad := DecodeOperation(line)
			if bad != nil {
				return nil, named(fmt.Sprintf("Line %d", n), bad)
			}
			operations = append(operations, WriteOperation{WriteRequest: request, Line: n})
		}
		if err != nil {
			break
		}
	}
	if len(operations) == 0 {
		return nil, failure.New(failure.MissingArgument, "There are no operations to apply.").
			Suggest("Give one JSON object a line, such as {\"op\":\"write\",\"title\":…}.")
	}
	return operations, nil
}

// DecodeOperationList is DecodeOperations for a list of objects.
func DecodeOperationList(objects []json.RawMessage) ([]WriteOperation, error) {
	var operations []WriteOperation
	for i, object := range objects {
		request, err := DecodeOperation(object)
		if err != nil {
			return nil, named(fmt.Sprintf("Operation %d", i+1), err)
		}
		operations = append(operations, WriteOperation{WriteRequest: request})
	}
	if len(operations) == 0 {
		return nil, failure.New(failure.MissingArgument, "There are no operations to apply.").
			Suggest("Pass a list of them, such as [{\"op\":\"write\",\"title\":…}].")
	}
	return operations, nil
}

// byteOrderMark is what some programs put in front of UTF-8.
const byteOrderMark = "\uFEFF"

// DecodeOperation reads one operation. The names of its fields are exact.
func DecodeOperation(object []byte) (WriteRequest, error) {
	if !utf8.Valid(object) {
		// The decoder would put other characters in place of those it cannot read.
		return WriteRequest{}, failure.New(failure.InvalidFlag, "this is not UTF-8.")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil || fields == nil {
		return WriteRequest{}, failure.New(failure.InvalidFlag, "this is not a JSON object.").Wrap(err)
	}
	var op string
	if err := json.Unmarshal(fields["op"], &op); err != nil || op != "write" {
		return WriteRequest{}, failure.New(failure.InvalidFlag, "the op is not \"write\", the only one there is.")
	}
	delete(fields, "op")
	var request WriteRequest
	// The singular goes before the plural, as in memhtml: their values add up.
	names := slices.Sorted(maps.Keys(fields))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	for _, name := range names {
		field, known := operationFields[name]
		if !known {
			return WriteRequest{}, unknownOperationField(name)
		}
		if string(fields[name]) == "null" {
			continue
		}
		if err := field.set(&request, fields[name]); err != nil {
			return WriteRequest{}, failure.New(failure.InvalidFlag, "the field %s takes %s.", name, field.takes).Wrap(err)
		}
	}
	return request, nil
}

// shortened keeps a stray text that stands where a name should be out of a
// message.
func shortened(name string) string {
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName]) + "…"
	}
	return name
}

// maxName is how many characters of a name are repeated.
const maxName = 40
