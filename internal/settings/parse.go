package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/spelling"
)

// MaxSize is the most bytes a text of settings may have.
const MaxSize = 64 << 10

// maxProblems is the most problems told of one text; one more says how many
// there are beyond.
const maxProblems = 10

// Source says whose settings a text is.
type Source int

// The sources: the person's own file, an editor, a repository's file. What one of
// them may not set is a problem in its text.
const (
	User Source = iota
	Editor
	Repository
)

// Layer is what one text sets. The zero Layer sets nothing.
type Layer struct{ set []assignment }

// OwnFile is what the layer sets that an editor may not.
func (l Layer) OwnFile() (own Layer) {
	for _, a := range l.set {
		if !a.field.Editor {
			own.set = append(own.set, a)
		}
	}
	return own
}

// assignment is one value, and where in [Settings] it goes.
type assignment struct {
	field Field
	value reflect.Value
}

// Problem is one thing in a text that is as if it were not there, in a sentence.
// It names keys, made visible, and no values.
type Problem string

// Parse reads JSON in which comments and trailing commas are allowed. Groups may
// be written as objects or with dots. null is as good as absent, and so is what
// cannot be read, which is told; the rest counts.
func Parse(text []byte, from Source) (Layer, []Problem) {
	p := reading{from: from}
	if problem := p.read(text); problem != "" {
		p.problems = append(p.problems, problem)
	}
	if more := len(p.problems) - maxProblems; more > 0 {
		p.problems = append(p.problems[:maxProblems], Problem(fmt.Sprintf("There are %d more problems.", more)))
	}
	return p.layer, p.problems
}

// putOver sets what the layer sets.
func (l Layer) putOver(s *Settings) {
	for _, a := range l.set {
		place := reflect.ValueOf(s).Elem().FieldByIndex(a.field.index)
		if a.field.Kind != reflect.Map {
			place.Set(a.value)
			continue
		}
		// Layers share nothing: the table below may be another's.
		table := maps.Clone(place.Interface().(map[string]string))
		if table == nil {
			table = map[string]string{}
		}
		maps.Copy(table, a.value.Interface().(map[string]string))
		place.Set(reflect.ValueOf(table))
	}
}

// reading gathers the layer and the problems of one text.
type reading struct {
	from     Source
	layer    Layer
	problems []Problem
}

func (p *reading) problem(format string, args ...any) {
	p.problems = append(p.problems, Problem(fmt.Sprintf(format, args...)))
}

// read reads the whole text, or says why it cannot be read at all.
func (p *reading) read(text []byte) Problem {
	if len(text) > MaxSize {
		return "The settings are larger than 64 KB, and none of them is read."
	}
	plain := jsonc.ToJSON(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(bytes.TrimSpace(plain)) == 0 {
		return ""
	}
	var top map[string]json.RawMessage
	err := json.Unmarshal(plain, &top)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(plain[:min(int(syntax.Offset), len(plain))], []byte("\n"))
		return Problem(fmt.Sprintf("The settings cannot be read: line %d is not JSON. None of them counts.", line))
	case err != nil:
		return "The settings are not a JSON object, and none of them is read."
	}
	// The editor of the file reads this one.
	delete(top, "$schema")
	p.walk("", top)
	return ""
}

// walk reads one object, whose keys begin with prefix.
func (p *reading) walk(prefix string, object map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		key, value := prefix+name, object[name]
		if string(value) == "null" {
			continue
		}
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })
		switch {
		case i >= 0:
			p.assign(fields[i], value)
		case isGroup(key):
			var inner map[string]json.RawMessage
			if !isEmpty(value) && json.Unmarshal(value, &inner) != nil {
				p.problem("%s is a group of settings; what is there is ignored.", key)
				continue
			}
			p.walk(key+".", inner)
		default:
			p.problem("There is no setting %s.%s", quoted(key), didYouMean(key, p.keys()))
		}
	}
}

func isGroup(key string) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return strings.HasPrefix(f.Key, key+".") })
}

// keys are what may be set, groups included.
func (p *reading) keys() []string {
	var keys []string
	for _, f := range fields {
		group, _, _ := strings.Cut(f.Key, ".")
		if !slices.Contains(keys, group) {
			keys = append(keys, group)
		}
		if p.may(f) {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

func quoted(name string) string { return "“" + diagnostics.Shown(name) + "”" }

func didYouMean(name string, names []string) string {
	if near := spelling.Nearest(name, names); len(near) > 0 {
		return " Did you mean " + near[0] + "?"
	}
	return ""
}

// isEmpty reports whether a value is an empty list or object. Lua, in which
// Neovim is configured, has one spelling for both.
func isEmpty(raw json.RawMessage) bool {
	return (raw[0] == '[' || raw[0] == '{') && len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0
}

// may reports whether the text may set a field.
func (p *reading) may(f Field) bool {
	return p.from == User || p.from == Editor && f.Editor || p.from == Repository && f.Repository
}

// assign reads the value of one setting.
func (p *reading) assign(f Field, raw json.RawMessage) {
	switch {
	case p.may(f):
	case p.from == Repository:
		p.problem("A repository cannot set %s; only your own settings can.", f.Key)
		return
	default:
		p.problem("An editor cannot set %s, because it takes settings from repositories, too; only memhtml-ls/config.jsonc in your configuration folder can.", f.Key)
		return
	}
	value, ok := p.value(f, raw)
	if ok {
		p.layer.set = append(p.layer.set, assignment{f, value})
	}
}

func (p *reading) value(f Field, raw json.RawMessage) (reflect.Value, bool) {
	switch f.Kind {
	case reflect.Int:
		var n int
		if json.Unmarshal(raw, &n) != nil || n < f.Min || n > f.Max {
			p.problem("%s takes a whole number from %d to %d; what is there is ignored.", f.Key, f.Min, f.Max)
			return reflect.Value{}, false
		}
		return reflect.ValueOf(n), true
	case reflect.Float64:
		var x float64
		if json.Unmarshal(raw, &x) != nil || x < float64(f.Min) || x > float64(f.Max) {
			p.problem("%s takes a number from %d to %d; what is there is ignored.", f.Key, f.Min, f.Max)
			return reflect.Value{}, false
		}
		return reflect.ValueOf(x), true
	case reflect.Map:
		return p.table(f, raw)
	case reflect.Slice:
		return p.list(f, raw)
	default:
		return p.word(f, raw)
	}
}

// word reads one of a few words, or a text.
func (p *reading) word(f Field, raw json.RawMessage) (reflect.Value, bool) {
	var word string
	err := json.Unmarshal(raw, &word)
	switch {
	case f.Words != nil && (err != nil || !slices.Contains(f.Words, word)):
		p.problem("%s is %s; what is there is ignored.", f.Key, oneOf(f.Words))
	case f.Words == nil && (err != nil || len(word) > f.Max):
		p.problem("%s is a text of at most %d bytes; what is there is ignored.", f.Key, f.Max)
	default:
		return reflect.ValueOf(word), true
	}
	return reflect.Value{}, false
}

// oneOf is "a, b or c".
func oneOf(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// table reads words by diagnostic code. An entry that cannot be read is left out.
func (p *reading) table(f Field, raw json.RawMessage) (reflect.Value, bool) {
	var entries map[string]json.RawMessage
	if !isEmpty(raw) && json.Unmarshal(raw, &entries) != nil {
		p.problem("%s is an object; what is there is ignored.", f.Key)
		return reflect.Value{}, false
	}
	table := map[string]string{}
	for _, code := range slices.Sorted(maps.Keys(entries)) {
		var word string
		if _, known := diagnostics.Lookup(diagnostics.Code(code)); !known {
			p.problem("%s: there is no code %s.%s", f.Key, quoted(code), didYouMean(code, codes()))
			continue
		}
		if json.Unmarshal(entries[code], &word) != nil || !slices.Contains(f.Words, word) {
			p.problem("%s: %s is %s; what is there is ignored.", f.Key, code, oneOf(f.Words))
			continue
		}
		table[code] = word
	}
	return reflect.ValueOf(table), true
}

func codes() []string {
	var all []string
	for _, e := range diagnostics.Catalog() {
		all = append(all, string(e.Code))
	}
	return all
}

// list reads patterns. One that cannot be read is left out.
func (p *reading) list(f Field, raw json.RawMessage) (reflect.Value, bool) {
	var entries []json.RawMessage
	if !isEmpty(raw) && json.Unmarshal(raw, &entries) != nil || len(entries) > f.Max {
		p.problem("%s is a list of at most %d patterns; what is there is ignored.", f.Key, f.Max)
		return reflect.Value{}, false
	}
	list := make([]string, 0, len(entries))
	for i, entry := range entries {
		var pattern string
		if json.Unmarshal(entry, &pattern) != nil || !isPattern(pattern) {
			p.problem("%s: entry %d is not a pattern of paths, and is ignored.", f.Key, i+1)
			continue
		}
		list = append(list, pattern)
	}
	return reflect.ValueOf(list), true
}
