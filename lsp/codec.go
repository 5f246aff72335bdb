package lsp

import (
	"encoding/json"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// codec marshals payloads with the protocol's own union-aware functions; what
// is already JSON passes through.
type codec struct{}

var _ jsonrpc2.Codec = codec{}

// Marshal implements [jsonrpc2.Codec].
func (codec) Marshal(v any) ([]byte, error) {
	switch raw := v.(type) {
	case jsonrpc2.RawMessage:
		return orNull(raw), nil
	case json.RawMessage:
		return orNull(raw), nil
	}
	return protocol.Marshal(v)
}

// Unmarshal implements [jsonrpc2.Codec].
func (codec) Unmarshal(data []byte, v any) error {
	switch raw := v.(type) {
	case *jsonrpc2.RawMessage:
		*raw = append((*raw)[:0], data...)
		return nil
	case *json.RawMessage:
		*raw = append((*raw)[:0], data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

func orNull(raw []byte) []byte {
	if len(raw) == 0 {
		return []byte("null")
	}
	return raw
}

// decode reads params with encoding/json, which copies every string: nothing
// decoded here keeps a whole message alive.
func decode(params []byte, into any) error {
	if err := json.Unmarshal(orNull(params), into); err != nil {
		return invalidParams(err)
	}
	return nil
}

// ptr returns a pointer to v.
func ptr[T any](v T) *T { return &v }

// isTrue reads an optional boolean.
func isTrue(b *bool) bool { return b != nil && *b }

// mustMarshal encodes a value that is made of plain data.
func mustMarshal(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
