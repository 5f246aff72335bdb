package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxMessage bounds the length of one message.
const maxMessage = 1 << 30

// errHeader says that the input is not a sequence of messages; where the next
// one begins cannot be known.
var errHeader = errors.New("no proper header")

// readFrame reads the body of the next message. It is io.EOF at an end between
// messages and io.ErrUnexpectedEOF at one in the middle.
func readFrame(in *bufio.Reader) ([]byte, error) {
	length, err := readHeader(in)
	if err != nil {
		return nil, err
	}
	// A length that is only claimed costs nothing.
	var body bytes.Buffer
	if n, err := io.CopyN(&body, in, int64(length)); n < int64(length) {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return body.Bytes(), nil
}

// readHeader reads the lines up to the empty one and returns the Content-Length
// that they say.
func readHeader(in *bufio.Reader) (length int, err error) {
	length = -1
	for first := true; ; first = false {
		raw, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return 0, fmt.Errorf("%w: a line is too long", errHeader)
		case errors.Is(err, io.EOF) && (!first || len(raw) > 0):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		}
		line := strings.TrimRight(string(raw), "\r\n")
		if line == "" && length < 0 {
			return 0, fmt.Errorf("%w: no Content-Length", errHeader)
		}
		if line == "" {
			return length, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return 0, fmt.Errorf("%w: a line without a colon", errHeader)
		}
		if strings.EqualFold(name, "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
				return 0, fmt.Errorf("%w: the Content-Length is no length", errHeader)
			}
		}
	}
}
