package memory

import "strings"

// article is the inner markup of the article that an Input asks for.
func (in Input) article() (string, error) {
	if trim(in.ArticleHTML) != "" {
		return serializeArticle(in.ArticleHTML)
	}
	claim, prose := trim(unixLines(in.Claim)), trim(unixLines(in.Prose))
	if claim == "" {
		claim, prose = sentence(prose)
	}
	var body []string
	for _, p := range in.Body {
		body = append(body, unixLines(p))
	}
	return proseMarkup(claim, append(body, paragraphs(prose)...)), nil
}

// proseMarkup is a claim and its paragraphs as markup: the first paragraph goes
// on in the claim's own, unless it is a fence; blank ones are dropped.
func proseMarkup(claim string, body []string) string {
	var b strings.Builder
	b.WriteString("<p><mark>" + escapeText(claim) + "</mark>")
	lead := true
	for _, p := range body {
		p = trim(p)
		if p == "" {
			continue
		}
		lang, code, fenced := fence(p)
		switch {
		case fenced && lead:
			b.WriteString("</p>\n" + codeMarkup(lang, code))
		case fenced:
			b.WriteString("\n" + codeMarkup(lang, code))
		case lead:
			b.WriteString(" " + escapeText(p) + "</p>")
		default:
			b.WriteString("\n<p>" + escapeText(p) + "</p>")
		}
		lead = false
	}
	if lead {
		b.WriteString("</p>")
	}
	return b.String()
}

func codeMarkup(lang, code string) string {
	if lang != "" {
		lang = ` data-lang="` + lang + `"`
	}
	return "<figure><pre><code" + lang + ">" + escapeText(code) + "</code></pre></figure>"
}

// sentence splits trimmed prose behind the first '.', '!' or '?' that white
// space or the end follows, in whichever paragraph that is. Without one all of it
// is the sentence. A fence is no part of a sentence that begins before it.
func sentence(prose string) (first, rest string) {
	end := len(prose)
	for i, r := range prose {
		if r != '.' && r != '!' && r != '?' {
			continue
		}
		if rest = prose[i+1:]; rest == "" || strings.IndexFunc(rest, isSpace) == 0 {
			end = i + 1
			break
		}
	}
	if fence := fenceStart(prose[:end]); fence > 0 {
		end = fence
	}
	return trim(prose[:end]), trim(prose[end:])
}

// fenceStart is where the first line begins that opens a fence, -1 without one.
func fenceStart(text string) int {
	at := 0
	for line := range strings.SplitAfterSeq(text, "\n") {
		if ticks, _ := fenceLine(line); ticks > 0 {
			return at
		}
		at += len(line)
	}
	return -1
}

// paragraphs splits text at blank lines that are not inside a fence.
func paragraphs(text string) (list []string) {
	var p []string
	ticks := 0
	for line := range strings.SplitSeq(text+"\n\n", "\n") {
		switch n, info := fenceLine(line); {
		case ticks > 0:
			if n >= ticks && info == "" {
				ticks = 0
			}
		case n > 0:
			ticks = n
		case trim(line) == "":
			if len(p) > 0 {
				list = append(list, trim(strings.Join(p, "\n")))
			}
			p = nil
			continue
		}
		p = append(p, line)
	}
	if len(p) > 0 {
		list = append(list, trim(strings.Join(p, "\n")))
	}
	return list
}

// fence reads a trimmed paragraph whose first line opens a backtick fence and
// whose last line closes it. The language is the first word of the info string
// when that is a token.
func fence(paragraph string) (lang, code string, ok bool) {
	lines := strings.Split(paragraph, "\n")
	last := len(lines) - 1
	ticks, info := fenceLine(lines[0])
	closing, rest := fenceLine(lines[last])
	if ticks == 0 || last == 0 || closing < ticks || rest != "" {
		return "", "", false
	}
	code = strings.Join(lines[1:last], "\n")
	if words := strings.FieldsFunc(info, isSpace); len(words) > 0 && isLanguage(words[0]) {
		lang = lower(words[0])
	}
	return lang, code, true
}

// fenceLine reports how many backticks, three or more, begin a line, however far
// it is indented, and the info string behind them; 0 when the line is no fence.
func fenceLine(line string) (ticks int, info string) {
	line = trim(line)
	info = strings.TrimLeft(line, "`")
	ticks = len(line) - len(info)
	if ticks < 3 || strings.Contains(info, "`") {
		return 0, ""
	}
	return ticks, trim(info)
}

var lineUnifier = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// unixLines is text with LF line endings: those of a new file.
func unixLines(text string) string { return lineUnifier.Replace(text) }
