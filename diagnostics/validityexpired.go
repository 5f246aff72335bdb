package diagnostics

var validityExpiredEntry = Entry{
	Code:     ValidityExpired,
	Severity: Hint,
	Meaning:  "the memory is not valid any more and not in the archive",
	What: "`memhtml-valid-until` is a day before today, in UTC, and the file is not in the archive. " +
		"The finding comes by itself when the day has passed.",
	Why:   "The memory is still found beside those that hold, and its reader has to look at the date.",
	Fix:   "Take “Archive this memory”, let the memory that holds supersede it, or correct the date.",
	Wrong: "When the memory is kept in place as a record of what held. Turn the code off where that is the rule.",
	Since: "0.1.0",
}

// expired leaves a memory that never was valid to [ValidityInverted].
func (r *report) expired() {
	if !r.File.Expired(r.Today) || r.File.Inverted {
		return
	}
	r.add(Finding{
		Code: ValidityExpired, Span: r.meta(validUntil),
		Message: "Valid until " + Shown(r.File.Says().ValidUntil) + ", and not in the archive.",
		Data:    Data{Subject: validUntil, Value: r.File.Says().ValidUntil},
	})
}
