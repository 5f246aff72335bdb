package session

import (
	"fmt"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// fixLife decides the one edit for a finding about links and the life of a
// memory, where one is certain.
func fixLife(doc *memory.Document, finding diagnostics.Finding) (string, TextEdit, bool) {
	data := finding.Data
	switch finding.Code {
	case diagnostics.SelfLink, diagnostics.EdgeClassMismatch:
		edit, ok := headEdit(doc.Source, removeLink(data.Subject, data.Value))
		return "Remove the link", edit, ok
	case diagnostics.ArchiveStatus:
		edit, ok := headEdit(doc.Source, setMeta(data.Subject, data.Value))
		return fmt.Sprintf("Set %s to %s", data.Subject, data.Value), edit, ok
	case diagnostics.SupersedeAsymmetric:
		other := diagnostics.Shown(data.Other)
		if data.Subject == "supersedes" {
			edit, ok := headEdit(doc.Source, addLink(data.Subject, data.Other))
			return "Add the link to " + other, edit, ok
		}
		edit, ok := headEdit(doc.Source, setMeta(data.Subject, "/"+data.Other))
		return fmt.Sprintf("Name %s in %s", other, data.Subject), edit, ok
	default:
		return "", TextEdit{}, false
	}
}

// settle are the commits that mend a finding about the life of a memory.
func (v *View) settle(finding diagnostics.Finding) []Action {
	path, action := finding.Path, Action{Kind: KindFix, Code: finding.Code, Span: finding.Span}
	switch finding.Code {
	case diagnostics.SupersededActive:
		loser, winner := v.Snapshot.File(path), v.Snapshot.File(finding.Data.Other)
		if loser != nil && winner != nil && loser.Eligible() && winner.Eligible() {
			action.Title = fmt.Sprintf("%s supersedes this", diagnostics.Shown(winner.Path))
			return []Action{v.commit(action, SupersedeRequest{Winner: winner.Path, Loser: path}, path, winner.Path)}
		}
	case diagnostics.ValidityExpired:
	default:
		return nil
	}
	action.Title, action.Ask = "Archive this memory", AskReason
	return []Action{v.commit(action, ArchiveRequest{Path: path}, path)}
}
