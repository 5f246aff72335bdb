package lsp

import (
	"encoding/json"

	"go.lsp.dev/protocol"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
)

// settings are what the person chose, from initializationOptions:
//
//	{"diagnostics": {"mirror": "hint", "severities": {"duplicate": "warning", "lang-token": "off"}}}
//
// A value that is not understood is as if it were absent; the log names it.
func (s *server) settings(raw protocol.LSPAny) diagnostics.Options {
	var p struct {
		Diagnostics struct {
			Mirror     string
			Severities map[string]string
		}
	}
	if err := json.Unmarshal(orNull(raw), &p); err != nil {
		s.log.Warn("the initializationOptions are not understood", "error", err)
		return diagnostics.Options{}
	}
	options := diagnostics.Options{Mirror: p.Diagnostics.Mirror, Severities: map[diagnostics.Code]diagnostics.Severity{}}
	for code, word := range p.Diagnostics.Severities {
		severity, ok := diagnostics.ParseSeverity(word)
		if _, known := diagnostics.Lookup(diagnostics.Code(code)); !ok || !known {
			s.log.Warn("a severity is not understood", "code", code, "severity", word)
			continue
		}
		options.Severities[diagnostics.Code(code)] = severity
	}
	return options
}
