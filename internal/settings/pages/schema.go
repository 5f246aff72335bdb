package main

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/internal/settings"
)

// node is a part of a JSON Schema, in the order in which it is written.
type node struct {
	Schema               string           `json:"$schema,omitempty"`
	Title                string           `json:"title,omitempty"`
	Description          string           `json:"description,omitempty"`
	Type                 string           `json:"type,omitempty"`
	Enum                 []string         `json:"enum,omitempty"`
	Minimum              *int             `json:"minimum,omitempty"`
	Maximum              *int             `json:"maximum,omitempty"`
	MaxLength            int              `json:"maxLength,omitempty"`
	MaxItems             int              `json:"maxItems,omitempty"`
	Items                *node            `json:"items,omitempty"`
	Default              any              `json:"default,omitempty"`
	PropertyNames        *node            `json:"propertyNames,omitempty"`
	Properties           map[string]*node `json:"properties,omitempty"`
	AdditionalProperties any              `json:"additionalProperties,omitempty"`
}

// schema describes the settings that may occur.
func schema(docs map[[2]string]string, title string, may func(settings.Field) bool) (string, error) {
	top := object()
	top.Schema, top.Title = "http://json-schema.org/draft-07/schema#", title
	top.Properties["$schema"] = &node{Type: "string"}
	for _, f := range settings.Fields() {
		if !may(f) {
			continue
		}
		group, name, _ := strings.Cut(f.Key, ".")
		if top.Properties[group] == nil {
			top.Properties[group] = object()
		}
		top.Properties[group].Properties[name] = describe(f, docs[f.Go])
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(top)
	return out.String(), err
}

// object has the properties it names and no others.
func object() *node {
	return &node{Type: "object", Properties: map[string]*node{}, AdditionalProperties: false}
}

func describe(f settings.Field, doc string) *node {
	n := &node{Description: doc}
	if standard(f) != "none" {
		n.Default = f.Default()
	}
	switch f.Kind {
	case reflect.Float64:
		n.Type, n.Minimum, n.Maximum = "number", &f.Min, &f.Max
	case reflect.Int:
		n.Type, n.Minimum, n.Maximum = "integer", &f.Min, &f.Max
	case reflect.Slice:
		n.Type, n.MaxItems, n.Items = "array", f.Max, &node{Type: "string"}
	case reflect.Map:
		n.Type, n.PropertyNames, n.AdditionalProperties = "object", &node{Enum: codes()}, &node{Enum: f.Words}
	default:
		n.Type, n.Enum = "string", f.Words
		if f.Words == nil {
			n.MaxLength = f.Max
		}
	}
	return n
}
