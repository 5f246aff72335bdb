package diagnostics

// lifecycle reports where the file stands against its dates and against what
// other files say of it. Nothing is told of a file with format errors, and of one
// in a circle of supersessions no other supersession.
func (r *report) lifecycle() {
	if r.Snapshot == nil || !r.File.Accepted {
		return
	}
	r.expired()
	r.overdue()
	r.staleBlockers()
	if !r.cycle() {
		r.superseded()
		r.asymmetric()
	}
}
