package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// article is what the article of a file is to be, and ok tells whether that
// leaves a part of it as it is: a claim alone goes into the mark, a body alone
// goes behind the mark. An empty body takes away what is there.
func (u UpdateRequest) article(source []byte) (markup string, ok bool, err error) {
	body := u.Body != nil || u.Prose != nil
	if u.ArticleHTML != nil || !blank(valueOf(u.Claim)) == body {
		return "", false, nil
	}
	there, err := articleIn(source)
	if err != nil {
		return "", false, err
	}
	said, err := memory.Render(memory.Input{Title: "none", Type: "semantic", Claim: u.claimToRender(), Body: u.Body, Prose: valueOf(u.Prose)})
	if err != nil {
		return "", false, failure.New(failure.InvalidMemory, "the text cannot be written as given.").Wrap(err)
	}
	given, err := articleIn(endedLike(source, said))
	if err != nil {
		return "", false, err
	}
	switch {
	case body:
		there, given = given, there
	case there.claim == given.claim:
		given = there // the same words keep their markup
	}
	return there.withClaim(given), true, nil
}

// claimToRender holds the place of the claim that stays.
func (u UpdateRequest) claimToRender() string {
	return cmp.Or(strings.TrimSpace(valueOf(u.Claim)), "none")
}

// marked is the markup of an article, and where in it the text of the mark lies
// and what it says.
type marked struct {
	markup []byte
	mark   memory.Span
	claim  string
}

func articleIn(source []byte) (marked, error) {
	doc := memory.Parse(source)
	mark, ok := doc.Spans().Mark()
	article, found := contentOf("article", source)
	if !ok || !found || doc.Gist == "" || mark.Start < article.Start || mark.End > article.End {
		return marked{}, failure.New(failure.InvalidMemory, "it has no claim of which the rest could stay.").
			Suggest("Give the claim and the body, or the article's markup.")
	}
	return marked{
		source[article.Start:article.End], memory.Span{Start: mark.Start - article.Start, End: mark.End - article.Start}, doc.Gist,
	}, nil
}

// withClaim is the markup with the claim of another article.
func (m marked) withClaim(of marked) string {
	return string(slices.Concat(m.markup[:m.mark.Start], of.markup[of.mark.Start:of.mark.End], m.markup[m.mark.End:]))
}
