package same

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece is a word-like part of a claim before it gets a type.
type piece struct {
	// text is folded and in lower case, cased as written.
	text, cased string
	// start and end are bytes of the claim.
	start, end int
	// clause: punctuation stands before it. opening: a sentence begins with it.
	clause, opening bool
	// possessive: it had an 's.
	possessive bool
	// closed: a quotation ends before it.
	closed bool
	// code: it names something exactly and has no grammar.
	code bool
}

// maxPieces bounds the work on one claim; a token takes at least one piece.
const maxPieces = 2 * maxTokens

// maxChunk is the longest text without a space, in bytes, that is looked into.
const maxChunk = 200

// scanner cuts a claim into pieces.
type scanner struct {
	pieces          []piece
	start, end      int
	clause, opening bool
	// closed: a quotation ended. stopped: only a period stands before.
	closed, stopped bool
	full            bool
}

// cut returns the pieces of a claim, and whether it was too long for all.
func cut(claim string) ([]piece, bool) {
	s := scanner{opening: true, pieces: make([]piece, 0, len(claim)/5+2)}
	for i := 0; i < len(claim) && !s.full; {
		r, size := utf8.DecodeRuneInString(claim[i:])
		if unicode.IsSpace(r) {
			i += size
			continue
		}
		end := len(claim)
		if n := strings.IndexFunc(claim[i:], unicode.IsSpace); n >= 0 {
			end = i + n
		}
		s.chunk(claim, i, end)
		i = end
	}
	return s.pieces, s.full
}

// chunk takes what stands between two spaces.
func (s *scanner) chunk(claim string, start, end int) {
	s.start, s.end = trimmed(claim, start, end)
	if end-start > maxChunk {
		s.push(claim[start:end], true)
		return
	}
	for _, part := range strings.Fields(fold(claim[start:end])) {
		s.part(part)
	}
}

const (
	quotes   = "\"'`"
	opens    = quotes + "([{<*#"
	closes   = quotes + ")]}>*.,;:!?"
	pausing  = ",;:.!?()"
	stopping = ".!?"
	edges    = quotes + "([{<*#)]}>.,;:!?"
)

// trimmed is the span without the punctuation around it, for showing.
func trimmed(claim string, start, end int) (int, int) {
	text := strings.Trim(claim[start:end], quotes+"“”‘’«»()[]*.,;:!?")
	if text == "" {
		return start, end
	}
	start += strings.Index(claim[start:end], text)
	return start, start + len(text)
}

func (s *scanner) part(text string) {
	text = fullYear(text)
	s.resume(text)
	inner := strings.TrimLeft(text, opens)
	if inner != text && strings.Contains(text[:len(text)-len(inner)], "(") {
		s.clause = true
	}
	core := strings.TrimRight(inner, closes)
	tail := inner[len(core):]
	if !hasLetter(core) && !hasDigit(core) {
		s.symbol(text)
	} else {
		s.word(core)
	}
	s.closed = strings.Contains(tail, `"`)
	if tail == "." && (dotted(core) || abbreviated()[strings.ToLower(core)]) {
		return
	}
	s.stopped = tail == "."
	s.clause = s.clause || strings.ContainsAny(tail, pausing)
	s.opening = s.opening || strings.ContainsAny(tail, stopping)
}

// abbreviated are words that a period does not end a sentence behind.
var abbreviated = set("mr mrs ms dr prof st sr jr no nr vs approx max min ca dept ext fig vol ave rd inc ltd corp co jan feb mar apr jun jul aug sep sept oct nov dec")

// resume undoes the end of a sentence that goes on in lower case.
func (s *scanner) resume(text string) {
	if first := strings.TrimLeft(text, opens); s.stopped && first != "" && 'a' <= first[0] && first[0] <= 'z' {
		s.clause, s.opening = false, false
	}
	s.stopped = false
}

// fullYear undoes "'64".
func fullYear(s string) string {
	digits := strings.TrimRight(s, closes)
	if len(digits) != 3 || s[0] != '\'' || !isDigit(s[1]) || !isDigit(s[2]) {
		return s
	}
	if s[1] < '4' {
		return "20" + s[1:]
	}
	return "19" + s[1:]
}

// symbol takes a chunk without letters and digits: a brace in quotes is what
// a claim is about, a dash is punctuation.
func (s *scanner) symbol(text string) {
	text = strings.Trim(text, quotes+".,;:!?")
	switch strings.Trim(text, "-~") {
	case "":
		s.clause = true
	case "=":
		s.add("is")
	case "&", "+", "%", "<", ">", "<=", ">=", "°", "$", "€", "£", "¥":
		s.add(text)
	default:
		s.name(text)
	}
}

// word takes a chunk without the punctuation around it.
func (s *scanner) word(text string) {
	switch {
	case dotted(text):
		s.add(strings.ReplaceAll(text, ".", ""))
	case numeric(text):
		s.numeric(text)
	case strings.Contains(text, "=") && !strings.Contains(text, "://") && len(text) > 2:
		s.around(text, "=")
	case isCode(text):
		s.name(strings.TrimRight(strings.TrimSuffix(text, "()"), "/"))
	case strings.ContainsAny(text, "/,;&+:()[]\"-"):
		s.divide(text)
	default:
		s.plain(text)
	}
}

// numeric keeps what begins with a digit whole, but for a unit or a range
// behind a hyphen: "14-day", "3-5".
func (s *scanner) numeric(text string) {
	left, right, ok := strings.Cut(text, "-")
	if !ok || isDate(text) || left == "" {
		if left, right, ok = strings.Cut(text, "/"); ok && hasLetter(text) {
			s.word(left)
			s.add("per")
			s.word(right)
			return
		}
		s.add(text)
		return
	}
	if hasLetter(left) && !isMeasure(left) && !isClock(left) || hasLetter(right) && hasDigit(right) && !isMeasure(right) && !isClock(right) {
		s.name(text)
		return
	}
	s.word(left)
	if numeric(right) {
		s.add("to")
	}
	s.word(right)
}

func (s *scanner) around(text, sep string) {
	left, right, _ := strings.Cut(text, sep)
	if left != "" {
		s.word(left)
	}
	if right = strings.Trim(right, edges); right != "" {
		s.word(right)
	}
}

// divide splits at the first separator, which is what the rest may hold more
// of; "and" and "or" come out of "&" and "and/or" themselves.
func (s *scanner) divide(text string) {
	i := strings.IndexAny(text, "/,;&+:()[]\"-")
	left, sep, right := text[:i], text[i], text[i+1:]
	if left != "" {
		s.plain(left)
	}
	switch {
	case sep == '&' || sep == '+':
		s.add("and")
	case sep == '-' && isWhen(left) && isWhen(right):
		s.add("to")
	case sep == '/' && isUnit(left) && isUnit(right):
		s.add("per")
	case sep != '-' && sep != '/':
		s.clause = true
	}
	if right = strings.Trim(right, edges); right != "" {
		s.word(right)
	}
}

// plain takes a word and undoes its contraction.
func (s *scanner) plain(text string) {
	lower := strings.ToLower(text)
	if full, ok := contracted()[lower]; ok {
		s.expand(full)
		return
	}
	stem, end, ok := strings.Cut(text, "'")
	if !ok || stem == "" {
		s.add(strings.Trim(text, "'"))
		return
	}
	switch strings.ToLower(end) {
	case "ll":
		s.expandCased(stem, "will")
	case "d":
		s.expandCased(stem, "would")
	case "ve":
		s.expandCased(stem, "have")
	case "re", "m":
		s.expandCased(stem, "are")
	case "s", "":
		s.add(stem)
		s.last().possessive = true
	default:
		s.add(strings.ReplaceAll(text, "'", ""))
	}
}

func (s *scanner) expandCased(word, rest string) {
	s.add(word)
	s.add(rest)
}

func (s *scanner) expand(text string) {
	for w := range strings.FieldsSeq(text) {
		s.add(w)
	}
}

func (s *scanner) last() *piece {
	if len(s.pieces) == 0 {
		return &piece{}
	}
	return &s.pieces[len(s.pieces)-1]
}

// name takes what names something exactly.
func (s *scanner) name(text string) {
	s.push(text, true)
}

func (s *scanner) add(text string) {
	if last := s.last(); text == "cent" && last.text == "per" {
		last.text, last.end = "percent", s.end
		return
	}
	s.push(text, false)
}

func (s *scanner) push(text string, code bool) {
	if len(s.pieces) == maxPieces {
		s.full = true
		return
	}
	s.pieces = append(s.pieces, piece{
		text: strings.ToLower(text), cased: text, start: s.start, end: s.end,
		clause: s.clause, opening: s.opening, closed: s.closed, code: code,
	})
	s.clause, s.opening, s.closed = false, false, false
}

// dotted reports letters with a period between each: "p.m", "e.g", "U.S".
func dotted(s string) bool {
	if len(s) < 3 || len(s)%2 == 0 {
		return false
	}
	for i := range len(s) {
		if (i%2 == 1) != (s[i] == '.') || i%2 == 0 && !isLetter(s[i]) {
			return false
		}
	}
	return true
}

// numeric reports a piece that begins like a number.
func numeric(s string) bool {
	s = strings.TrimLeft(s, "-+~$£€¥'.")
	return s != "" && isDigit(s[0])
}

// isCode reports a piece that names something exactly: a path, a flag, a
// qualified or numbered name.
func isCode(s string) bool {
	switch {
	case len(s) < 2 || len(s) == 2 && s[0]|0x20 == 'q' && '1' <= s[1] && s[1] <= '4':
		return false
	case strings.ContainsAny(s, "_@\\$^|{}<>*#%") || strings.Contains(s, "::") || strings.Contains(s, "://"):
		return true
	case strings.ContainsRune("/~.-", rune(s[0])) || strings.HasSuffix(s, "+"):
		return true
	case strings.Contains(s, ".") && innerDot(s):
		return true
	}
	return hasLetter(s) && hasDigit(s) && !strings.ContainsAny(s, ",;()[]\"'&+/:")
}

func innerDot(s string) bool {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == '.' && isAlnum(s[i-1]) && isAlnum(s[i+1]) {
			return true
		}
	}
	return false
}

func hasLetter(s string) bool {
	return strings.IndexFunc(s, unicode.IsLetter) >= 0
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isAlnum(c byte) bool { return isDigit(c) || isLetter(c) || c >= utf8.RuneSelf }
