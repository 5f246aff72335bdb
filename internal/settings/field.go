package settings

import (
	"reflect"
	"strconv"
	"strings"
)

// Field is one setting, for those who read and document settings.
type Field struct {
	// Key is its name with dots, as "diagnostics.mirror".
	Key string
	// Go is the name of the struct and of the field in it.
	Go [2]string
	// Kind is that of the field: a string, an int, a float64, a list of strings, or
	// a table of strings by diagnostic code.
	Kind reflect.Kind
	// Words are what a string, or each entry of a table, may be; nil means any.
	Words []string
	// Min and Max bound a number, Max the length of a list, or of a string that may
	// be anything.
	Min, Max int
	// Repository says that a repository's file may set it, Editor that an editor may.
	Repository, Editor bool

	index []int
}

// fields are computed once; they are constant.
var fields = readFields()

// Fields returns all settings in the order of the struct.
func Fields() []Field { return fields }

func readFields() []Field {
	var all []Field
	groups := reflect.TypeFor[Settings]()
	for i := range groups.NumField() {
		group := groups.Field(i)
		for j := range group.Type.NumField() {
			all = append(all, newField(group, group.Type.Field(j), []int{i, j}))
		}
	}
	return all
}

func newField(group, field reflect.StructField, index []int) Field {
	f := Field{
		Key: group.Tag.Get("json") + "." + field.Tag.Get("json"), Go: [2]string{group.Name, field.Name},
		Kind: field.Type.Kind(), index: index,
		Repository: field.Tag.Get("repository") == "yes", Editor: field.Tag.Get("editor") != "no",
	}
	if words := field.Tag.Get("enum"); words != "" {
		f.Words = strings.Split(words, ",")
	}
	// A bound that is no number is 0, which a test of the fields refuses.
	f.Min, _ = strconv.Atoi(field.Tag.Get("min"))
	f.Max, _ = strconv.Atoi(field.Tag.Get("max"))
	return f
}

// Default is the value of somebody who chose nothing.
func (f Field) Default() any {
	s := Default()
	return reflect.ValueOf(s).FieldByIndex(f.index).Interface()
}
