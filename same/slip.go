package same

// oneSlip reports two spellings of one word: they are one letter apart and
// exactly one of them is a word. Names are never a slip of each other, nor are
// short words, in which one letter makes another word.
func oneSlip(t, u *token) bool {
	if t.kind != word || u.kind != word || t.name && u.name {
		return false
	}
	a, b := t.plain, u.plain
	if min(len(a), len(b)) < 3 || a[0] != b[0] || !oneEdit(a, b) {
		return false
	}
	if min(len(a), len(b)) < 5 && !exchanged(a, b) {
		return false
	}
	return common(t) != common(u)
}

// common reports a word of the list or the lexicon.
func common(t *token) bool {
	if t.kind != word {
		return t.kind == number
	}
	return t.class != content || known(t.plain) || known(t.text)
}

// oneEdit reports that one letter is added, dropped, replaced or exchanged
// with its neighbour, not at the end: there it is grammar.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return i < len(a) && a[i:] == b[i+1:]
	}
	return i+1 < len(a) && (a[i+1:] == b[i+1:] || exchanged(a, b))
}

// exchanged reports that two neighbouring letters traded places.
func exchanged(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
