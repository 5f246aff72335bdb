package main

import (
	"flag"
	"strconv"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// textFlags are the flags that say what a memory is to say.
type textFlags struct {
	claim, article string
	body           texts
}

func (t *textFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&t.claim, "claim", "", "the claim is `TEXT`")
	flags.StringVar(&t.article, "article-html", "", "the article is `HTML`, in place of --claim and --body")
	flags.Var(&t.body, "body", "a paragraph after the claim is `TEXT`; may be repeated. Without --claim, the first sentence is the claim")
}

func (t *textFlags) given() bool { return t.claim != "" || t.article != "" || len(t.body) > 0 }

// check refuses two articles; blank says that a flag that is there and blank
// counts as absent (M120).
func (t *textFlags) check() error {
	if !blank(t.article) && (!blank(t.claim) || !blank(strings.Join(t.body, ""))) {
		return bothArticles()
	}
	return nil
}

func bothArticles() error {
	return failure.New(failure.InvalidFlag, "--article-html is the whole article: it goes without --claim and --body.")
}

// demand is check for a memory that must say something.
func (t *textFlags) demand() error {
	if blank(t.claim) && blank(t.article) && blank(strings.Join(t.body, "")) {
		return failure.New(failure.MissingArgument, "There is no claim.").
			Suggest("Give one of --claim, --article-html and --body.")
	}
	return t.check()
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// behalfFlags say for whom something is done (M110).
type behalfFlags struct{ session, prompt string }

func (b *behalfFlags) register(flags *flag.FlagSet) {
	flags.StringVar(&b.session, "session-id", "", "it is done on behalf of the session `ID`")
	flags.StringVar(&b.prompt, "prompt-id", "", "it is done on behalf of the prompt `ID`")
}

// originFlags say where a memory comes from (M110).
type originFlags struct {
	behalfFlags
	turn string
}

func (o *originFlags) register(flags *flag.FlagSet) {
	o.behalfFlags.register(flags)
	flags.StringVar(&o.turn, "turn-uuid", "", "it comes from the turn `ID`")
}

// filingFlags say how a memory is found again.
type filingFlags struct {
	tags, entities, aliases texts
	importance              *int
	confidence              *float64
}

func (f *filingFlags) register(flags *flag.FlagSet) {
	flags.Var(&f.tags, "tag", "it has the `TAG`; may be repeated")
	flags.Var(&f.entities, "entity", "it is about the entity `NAME`; may be repeated")
	flags.Var(&f.aliases, "alias", "it is also called `NAME`; may be repeated")
	flags.Var(number[int]{&f.importance, strconv.Atoi, "a whole number from 1 to 10"}, "importance", "how much it matters, `N` from 1 to 10")
	flags.Var(number[float64]{&f.confidence, parseFloat, "a number from 0 to 1"}, "confidence", "how sure it is, `N` from 0 to 1")
}

// texts is a flag that may be repeated.
type texts []string

func (t *texts) String() string { return "" }

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

// number is a flag that may be absent.
type number[N int | float64] struct {
	value **N
	parse func(string) (N, error)
	// takes is what it takes, in words.
	takes string
}

func (number[N]) String() string { return "" }

func (n number[N]) Set(text string) error {
	parsed, err := n.parse(text)
	if err != nil {
		return failure.New(failure.InvalidFlag, "it takes %s", n.takes)
	}
	*n.value = &parsed
	return nil
}

func parseFloat(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

// optional is a flag whose absence differs from an empty text.
type optional struct{ value **string }

func (optional) String() string { return "" }

func (o optional) Set(text string) error {
	*o.value = &text
	return nil
}
