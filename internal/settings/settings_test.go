package settings

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	mirror := Default()
	mirror.Diagnostics.Mirror = "hint"
	severe := Default()
	severe.Diagnostics.Severities = map[string]string{"duplicate": "hint", "lang-token": "off"}
	type test struct {
		name, text string
		from       Source
		want       Settings
		problems   []Problem
	}
	tests := []test{
		{name: "nothing", want: Default()},
		{name: "null", text: "null", want: Default()},
		{name: "a comment alone", text: "// later\n", want: Default()},
		{name: "a group", text: `{"diagnostics": {"mirror": "hint"}}`, want: mirror},
		{name: "a name with dots", text: `{"diagnostics.mirror": "hint"}`, want: mirror},
		{name: "a mark, comments, commas, a schema", text: "\ufeff{ // c\n\"$schema\": \"x\", /* , */ \"diagnostics\": {\"mirror\": \"hint\",},}", want: mirror},
		{name: "what looks like a comment in a string", text: `{"diagnostics": {"mirror": "hint", "exclude": ["a//b", "/*c*/"]}}`, want: func() Settings {
			s := mirror
			s.Diagnostics.Exclude = []string{"a//b", "/*c*/"}
			return s
		}()},
		{name: "null is absent", text: `{"diagnostics": {"mirror": null, "severities": null}, "git": null}`, want: Default()},
		{name: "empty tables of Lua", text: `{"diagnostics": {"exclude": { }, "severities": []}, "git": []}`, want: func() Settings {
			s := Default()
			s.Diagnostics.Exclude, s.Diagnostics.Severities = []string{}, map[string]string{}
			return s
		}()},
		{
			name: "an unknown name", text: `{"diagnostics": {"mirorr": "hint", "mirror": "hint"}, "zzzzzz": 1}`, want: mirror,
			problems: []Problem{"There is no setting “diagnostics.mirorr”. Did you mean diagnostics.mirror?", "There is no setting “zzzzzz”."},
		},
		{
			name: "an unknown group", text: `{"diagnostic": {}}`, want: Default(),
			problems: []Problem{"There is no setting “diagnostic”. Did you mean diagnostics?"},
		},
		{
			name: "a name that would move the cursor", text: `{"\u001b[2J\u202e": 1}`, want: Default(),
			problems: []Problem{`There is no setting “\u{1B}[2J\u{202E}”.`},
		},
		{
			name: "values of the wrong kind", text: `{"diagnostics": {"mirror": 3, "maxFiles": "ten", "debounce": -1, "exclude": "a", "severities": [1]}, "git": "run"}`,
			want: Default(),
			problems: []Problem{
				"diagnostics.debounce takes a whole number from 0 to 10000; what is there is ignored.",
				"diagnostics.exclude is a list of at most 100 patterns; what is there is ignored.",
				"diagnostics.maxFiles takes a whole number from 0 to 1000000; what is there is ignored.",
				"diagnostics.mirror is off or hint; what is there is ignored.",
				"diagnostics.severities is an object; what is there is ignored.",
				"git is a group of settings; what is there is ignored.",
			},
		},
		{
			name: "entries that cannot be read", text: `{"diagnostics": {"severities": {"duplicate": "hint", "duplicat": "hint", "meta-missing": "loud", "lang-token": "off"}}}`,
			want: severe,
			problems: []Problem{
				"diagnostics.severities: there is no code “duplicat”. Did you mean duplicate?",
				"diagnostics.severities: meta-missing is off, error, warning, information or hint; what is there is ignored.",
			},
		},
		{
			name: "patterns that are none", text: `{"diagnostics": {"exclude": ["a", "[", "", 3, "/"]}}`, want: func() Settings {
				s := Default()
				s.Diagnostics.Exclude = []string{"a"}
				return s
			}(),
			problems: []Problem{
				"diagnostics.exclude: entry 2 is not a pattern of paths, and is ignored.",
				"diagnostics.exclude: entry 3 is not a pattern of paths, and is ignored.",
				"diagnostics.exclude: entry 4 is not a pattern of paths, and is ignored.",
				"diagnostics.exclude: entry 5 is not a pattern of paths, and is ignored.",
			},
		},
		{
			name: "an embedder", text: `{"embedder": {"use": "openai", "url": "https://example.org", "model": "m", "key": "k", "dimensions": 256, "timeout": 5, "threshold": 0.9, "related": 0.75}}`,
			want: func() Settings {
				s := Default()
				s.Embedder = Embedder{Use: "openai", URL: "https://example.org", Model: "m", Key: "k", Dimensions: 256, Timeout: 5, Threshold: 0.9, Related: 0.75}
				return s
			}(),
		},
		{
			name: "an embedder that is none", text: `{"embedder": {"use": "grpc", "url": 3, "model": "` + strings.Repeat("m", 201) + `", "threshold": 1.5, "related": "0.5"}}`, want: Default(),
			problems: []Problem{
				"embedder.model is a text of at most 200 bytes; what is there is ignored.",
				"embedder.related takes a number from 0 to 1; what is there is ignored.",
				"embedder.threshold takes a number from 0 to 1; what is there is ignored.",
				"embedder.url is a text of at most 2000 bytes; what is there is ignored.",
				"embedder.use is wording, openai, ollama or memhtml; what is there is ignored.",
			},
		},
		{
			name: "no JSON", text: "\n{\n  \"git\": }", want: Default(),
			problems: []Problem{"The settings cannot be read: line 3 is not JSON. None of them counts."},
		},
		{
			name: "no object", text: "[]", want: Default(),
			problems: []Problem{"The settings are not a JSON object, and none of them is read."},
		},
		{
			name: "too large", text: `{"git": {"hooks": "skip"}}` + strings.Repeat(" ", MaxSize), want: Default(),
			problems: []Problem{"The settings are larger than 64 KB, and none of them is read."},
		},
		{
			name: "what a repository may set, and what not", from: Repository, want: severe,
			text: `{"diagnostics": {"severities": {"duplicate": "hint", "lang-token": "off"}, "mirror": "hint"}, "git": {"hooks": "skip"}, "log.level": "debug"}`,
			problems: []Problem{
				"A repository cannot set diagnostics.mirror; only your own settings can.",
				"A repository cannot set git.hooks; only your own settings can.",
				"A repository cannot set log.level; only your own settings can.",
			},
		},
	}
	for _, f := range Fields() {
		if !strings.HasPrefix(f.Key, "embedder.") {
			continue
		}
		text := `{"` + f.Key + `": ` + map[reflect.Kind]string{reflect.String: `"ollama"`, reflect.Int: "5", reflect.Float64: "0.5"}[f.Kind] + `}`
		tests = append(tests, test{
			name: "no embedder from a repository: " + f.Key, from: Repository, text: text, want: Default(),
			problems: []Problem{Problem("A repository cannot set " + f.Key + "; only your own settings can.")},
		}, test{
			name: "no embedder from an editor: " + f.Key, from: Editor, text: text, want: Default(),
			problems: []Problem{Problem("An editor cannot set " + f.Key + ", because it takes settings from repositories, too; only memhtml-ls/config.jsonc in your configuration folder can.")},
		})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			layer, problems := Parse([]byte(tt.text), tt.from)
			if diff := cmp.Diff(tt.problems, problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, Resolve(layer)); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestManyProblemsAreFew: a hostile file does not fill the screen.
func TestManyProblemsAreFew(t *testing.T) {
	var text strings.Builder
	for i := range 5000 {
		text.WriteString(`,"k` + strconv.Itoa(i) + `":1`)
	}
	_, problems := Parse([]byte("{"+text.String()[1:]+"}"), Repository)
	if len(problems) != maxProblems+1 || problems[maxProblems] != "There are 4990 more problems." {
		t.Errorf("%d problems, the last is %q", len(problems), problems[len(problems)-1])
	}
}

func TestLaterLayersWin(t *testing.T) {
	repository, _ := Parse([]byte(`{"diagnostics": {"severities": {"duplicate": "hint", "lang-token": "off"}, "exclude": ["areas"]}}`), Repository)
	user, _ := Parse([]byte(`{"diagnostics": {"severities": {"duplicate": "warning"}, "exclude": []}}`), User)
	got := Resolve(repository, user)
	want := Default()
	want.Diagnostics.Severities = map[string]string{"duplicate": "warning", "lang-token": "off"}
	want.Diagnostics.Exclude = []string{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if alone := Resolve(repository).Diagnostics.Severities["duplicate"]; alone != "hint" {
		t.Errorf("the layer below was changed: %q", alone)
	}
}

// TestOwnFile: a server takes from the person's file what an editor cannot tell it,
// and nothing that the editor has an opinion about.
func TestOwnFile(t *testing.T) {
	layer, _ := Parse([]byte(`{"embedder": {"use": "memhtml"}, "diagnostics": {"mirror": "hint"}}`), User)
	want := Default()
	want.Embedder.Use = "memhtml"
	if diff := cmp.Diff(want, Resolve(layer.OwnFile())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExcluder(t *testing.T) {
	tests := []struct {
		pattern  string
		yes, not []string
	}{
		{"areas/old", []string{"areas/old", "areas/old/a.html", "areas/old/b/c.html"}, []string{"areas/older/a.html", "old/a.html", "x/areas/old/a.html"}},
		{"/areas/old/", []string{"areas/old/a.html"}, []string{"areas/new/a.html"}},
		{"areas/*/draft.html", []string{"areas/x/draft.html"}, []string{"areas/draft.html", "areas/x/y/draft.html"}},
		{"**/draft.html", []string{"draft.html", "areas/draft.html", "areas/x/y/draft.html"}, []string{"areas/draft.htm", "areas/drafts/a.html"}},
		{"areas/**/x/*.html", []string{"areas/x/a.html", "areas/x/x/a.html", "areas/a/b/x/c.html"}, []string{"areas/a.html", "x/a.html"}},
		{"**", []string{"a.html"}, nil},
		{"areas/day-??.html", []string{"areas/day-01.html"}, []string{"areas/day-1.html"}},
		{"**/a/**/a/b", []string{"a/a/b", "x/a/y/a/a/b", "a/x/a/b/c.html"}, []string{"a/b", "a/x/b"}},
	}
	for _, tt := range tests {
		excluded := Diagnostics{Exclude: []string{"no/such", tt.pattern}}.Excluder()
		for _, file := range tt.yes {
			if !excluded(file) {
				t.Errorf("%s does not exclude %s", tt.pattern, file)
			}
		}
		for _, file := range tt.not {
			if excluded(file) {
				t.Errorf("%s excludes %s", tt.pattern, file)
			}
		}
	}
}

// TestHostilePatternIsCheap ends at all: what tries every way does not.
func TestHostilePatternIsCheap(t *testing.T) {
	excluded := Diagnostics{Exclude: []string{strings.Repeat("**/a/", 100) + "b"}}.Excluder()
	if excluded(strings.Repeat("a/", 1000) + "c") {
		t.Error("there is no b")
	}
}

// TestFieldsAreComplete: each is bounded, and what a repository may set is known
// by name, so that none gets in by a slip.
func TestFieldsAreComplete(t *testing.T) {
	var repository, file []string
	for _, f := range Fields() {
		switch f.Kind {
		case reflect.Map:
			if len(f.Words) < 2 {
				t.Errorf("%s has the words %q", f.Key, f.Words)
			}
		case reflect.String:
			if len(f.Words) < 2 && (f.Words != nil || f.Max == 0) {
				t.Errorf("%s has the words %q, or takes %d bytes", f.Key, f.Words, f.Max)
			}
		case reflect.Int, reflect.Float64, reflect.Slice:
			if f.Max <= f.Min {
				t.Errorf("%s is from %d to %d", f.Key, f.Min, f.Max)
			}
		default:
			t.Errorf("%s is a %s, which nobody reads", f.Key, f.Kind)
		}
		if f.Repository {
			repository = append(repository, f.Key)
		}
		if !f.Editor {
			file = append(file, f.Key)
		}
	}
	if diff := cmp.Diff([]string{
		"embedder.use", "embedder.url", "embedder.model", "embedder.key",
		"embedder.dimensions", "embedder.timeout", "embedder.threshold", "embedder.related",
	}, file); diff != "" {
		t.Errorf("an editor may not set (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"diagnostics.severities", "diagnostics.exclude"}, repository); diff != "" {
		t.Errorf("a repository may set (-want +got):\n%s", diff)
	}
}

// TestPackageIsPure holds the package to what its comment promises.
func TestPackageIsPure(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			switch path, _ := strconv.Unquote(spec.Path.Value); path {
			case "os", "io", "time", "log/slog", "context", "database/sql":
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

// FuzzParse: whatever the text, the settings are such as a person could have
// chosen, and reading takes no longer than the text is long.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `{"diagnostics": {"mirror": "hint", "exclude": ["**/a", "["], "severities": {"duplicate": "off"}}}`,
		`{"diagnostics.maxFiles": 12e3, "git": {"hooks": "skip",},} // c`, `/*`, `{"a": /`, "\ufeff[", `{"log": {"level": "debug"}}`,
	} {
		for from := range 3 {
			f.Add([]byte(text), from)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, source int) {
		from := Source(((source % 3) + 3) % 3)
		layer, problems := Parse(text, from)
		if len(problems) > maxProblems+1 {
			t.Errorf("%d problems", len(problems))
		}
		s := Resolve(layer)
		for _, field := range Fields() {
			got := reflect.ValueOf(s).FieldByIndex(field.index)
			if (from == Repository && !field.Repository || from == Editor && !field.Editor) && !reflect.DeepEqual(got.Interface(), field.Default()) {
				t.Errorf("%s was set by source %d", field.Key, from)
			}
			if field.Kind == reflect.Float64 && (got.Float() < float64(field.Min) || got.Float() > float64(field.Max)) {
				t.Errorf("%s is %v", field.Key, got.Float())
			}
			if field.Kind == reflect.Int && (got.Int() < int64(field.Min) || got.Int() > int64(field.Max)) {
				t.Errorf("%s is %d", field.Key, got.Int())
			}
		}
		if len(s.Diagnostics.Options().Severities) != len(s.Diagnostics.Severities) {
			t.Errorf("severities that the checks do not take: %v", s.Diagnostics.Severities)
		}
		s.Diagnostics.Excluder()("areas/a/b.html")
	})
}
