package diagnostics

var archiveStatusEntry = Entry{
	Code:     ArchiveStatus,
	Severity: Warning,
	Meaning:  "memhtml-status and the place of the file disagree",
	What:     "`memhtml-status` says active and the file is in the archive, or it says archived and the file is not there.",
	Why:      "The place decides: whatever is below archive counts as archived, whatever its status. Who reads the file alone is told the opposite.",
	Fix:      "Take the action that sets `memhtml-status` to what the place says. If the status is right, archive the memory, or move the file back.",
	Wrong:    "Never, though the place may be what is wrong: somebody may have moved the file by hand.",
	Since:    "0.1.0",
}

// archiveStatus reports a status that the path denies. Data.Value is the one
// that the path has.
func (r *report) archiveStatus() {
	const name = "memhtml-status"
	var message, right string
	switch status := r.Document.Metas.Status; {
	case r.Snapshot == nil:
		return
	case status == "archived" && !r.File.Archived():
		message, right = name+" says archived, but the file is not in the archive.", "active"
	case status == "active" && r.File.Archived():
		message, right = name+" says active, but the file is in the archive.", "archived"
	default:
		return
	}
	r.add(Finding{Code: ArchiveStatus, Span: r.meta(name), Message: message, Data: Data{Subject: name, Value: right}})
}
