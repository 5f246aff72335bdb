package memory

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// ErrArticle is article markup that no file can hold as given: nested beyond 512
// elements, or with an element that swallows the rest of the file.
var ErrArticle = errors.New("the article cannot be written as given")

// Input is what a new memory is written from. Text is trimmed; what is empty is
// left out of the head.
type Input struct {
	Title, Type string
	// At is the instant of writing, created and updated alike.
	At time.Time

	// ArticleHTML is the inner markup of the article. When it is blank the
	// article is written from Claim, Body and Prose.
	ArticleHTML string
	Claim       string
	Body        []string // one paragraph each
	// Prose is text with blank lines between paragraphs. It follows Body; when
	// Claim is blank its first sentence is the claim.
	Prose string

	Confidence                    *float64
	Importance                    *int
	Author, Session, Prompt, Turn string
	// TaskStatus is dropped on every type but task, where it defaults to todo.
	TaskStatus, Due         string
	Entities, Tags, Aliases []string
	Links                   []Link
}

// Render writes a new file (format.md §6). It says what the Input says: whether
// the result is an acceptable memory is for [Parse] to tell.
func Render(in Input) ([]byte, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	article, err := in.article()
	if err != nil {
		return nil, err
	}
	body := "<body>\n<article>\n" + article + "\n</article>\n</body>\n</html>\n"
	hash, err := hashOfBody(body)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(doctype + "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	b.WriteString("<title>" + escapeText(trim(unixLines(in.Title))) + "</title>\n")
	for _, tag := range in.head(hash) {
		b.WriteString(tag.String() + "\n")
	}
	b.WriteString("</head>\n" + body)
	return []byte(b.String()), nil
}

const doctype = "<!doctype html>\n"

// hashOfBody is the content hash of the file that body will end. The doctype
// matters: without it a table does not end a paragraph.
func hashOfBody(body string) (Hash, error) {
	d := Parse([]byte(doctype + body))
	if d.tree.article == nil {
		return Hash{}, ErrArticle
	}
	return d.ContentHash, nil
}

// check refuses text that would not read back.
func (in Input) check() error {
	texts := []string{
		in.Title, in.Type, in.ArticleHTML, in.Claim, in.Prose,
		in.Author, in.Session, in.Prompt, in.Turn, in.TaskStatus, in.Due,
	}
	for _, list := range [][]string{in.Body, in.Entities, in.Tags, in.Aliases} {
		texts = append(texts, list...)
	}
	for _, l := range in.Links {
		texts = append(texts, l.Rel, l.Href)
	}
	for _, s := range texts {
		if err := checkValue(s); err != nil {
			return err
		}
	}
	return nil
}

// head are the memhtml metas and links in the order of writing.
func (in Input) head(hash Hash) (tags []headTag) {
	add := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				tags = append(tags, headTag{key: metaPrefix + name, value: v})
			}
		}
	}
	at := Stamp(in.At)
	add("type", in.Type)
	add("status", "active")
	add("created", at)
	add("updated", at)
	add("confidence", formatConfidence(in.Confidence))
	add("importance", formatImportance(in.Importance))
	add("content-hash", hash.String())
	add("author", in.Author)
	add("session", in.Session)
	add("prompt", in.Prompt)
	add("turn", in.Turn)
	add("task-status", in.taskStatus())
	add("due", in.Due)
	add("entity", in.Entities...)
	add("tag", in.Tags...)
	add("alias", in.Aliases...)
	for _, l := range in.Links {
		tags = append(tags, linkTag(l.Rel, l.Href))
	}
	return tags
}

func (in Input) taskStatus() string {
	switch {
	case in.Type != "task":
		return ""
	case in.TaskStatus == "":
		return "todo"
	}
	return in.TaskStatus
}

// formatConfidence writes two decimals, half away from zero as JavaScript's
// toFixed does: strconv rounds a half to even.
func formatConfidence(c *float64) string {
	if c == nil {
		return ""
	}
	v := *c
	if eighths := v * 8; eighths == math.Trunc(eighths) {
		v = math.Nextafter(v, 2)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func formatImportance(i *int) string {
	if i == nil {
		return ""
	}
	return strconv.Itoa(*i)
}
