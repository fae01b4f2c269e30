// Package schema checks values against a JSON Schema and says what is wrong
// in words that a model can act on. Schemas are untrusted: nothing outside of
// them is ever loaded.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

const maxIssues = 8

// Schema is a compiled schema. It may be used from any goroutine.
type Schema struct {
	compiled *jsonschema.Schema
	texts    []string // what it requires where all properties are any text; nil where they are not
}

// Compile reads a JSON Schema (draft 2020-12 unless it says otherwise).
func Compile(raw json.RawMessage) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(closed{})
	const name = "schema.json"
	if err := compiler.AddResource(name, doc); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return nil, err
	}
	return &Schema{compiled: compiled, texts: texts(doc)}, nil
}

// texts are what a schema requires which says no more than that an object has texts.
func texts(doc any) []string {
	schema, _ := doc.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	if schema["type"] != "object" || !saysOnly(schema, "type", "properties", "required", "title", "description") {
		return nil
	}
	for _, p := range properties {
		if p, _ := p.(map[string]any); p["type"] != "string" || !saysOnly(p, "type", "title", "description") {
			return nil
		}
	}
	required, _ := schema["required"].([]any)
	names := make([]string, len(required))
	for i := range required {
		names[i], _ = required[i].(string) // it was compiled
	}
	return names
}

func saysOnly(schema map[string]any, keywords ...string) bool {
	for key := range schema {
		if !slices.Contains(keywords, key) {
			return false
		}
	}
	return true
}

// hasTexts reports whether a value is seen to fit without the whole of the check, as is
// most of what is checked.
func (s *Schema) hasTexts(value json.RawMessage) bool {
	var given map[string]string
	if s.texts == nil || bytes.Contains(value, []byte("null")) || json.Unmarshal(value, &given) != nil { // null would be read as no text
		return false
	}
	return !slices.ContainsFunc(s.texts, func(name string) bool { _, ok := given[name]; return !ok })
}

// closed is a loader that loads nothing.
type closed struct{}

func (closed) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s: references to other documents are not allowed", url)
}

// Check returns what is wrong with a JSON value, a sentence each; nothing
// means that it fits.
func (s *Schema) Check(value json.RawMessage) []string {
	if s.hasTexts(value) {
		return nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return []string{"it is not valid JSON: " + err.Error()}
	}
	var invalid *jsonschema.ValidationError
	if err := s.compiled.Validate(doc); !errors.As(err, &invalid) {
		return nil
	}
	issues := leaves(invalid, message.NewPrinter(language.English), nil)
	slices.Sort(issues)
	issues = slices.Compact(issues)
	if more := len(issues) - maxIssues; more > 0 {
		issues = append(issues[:maxIssues], fmt.Sprintf("and %d more", more))
	}
	return issues
}

// leaves collects the innermost causes: the outer ones only repeat them.
func leaves(e *jsonschema.ValidationError, p *message.Printer, issues []string) []string {
	if len(e.Causes) == 0 {
		where := strings.Join(e.InstanceLocation, ".")
		text := e.ErrorKind.LocalizedString(p)
		if where != "" {
			text = where + ": " + text
		}
		return append(issues, text)
	}
	for _, cause := range e.Causes {
		issues = leaves(cause, p, issues)
	}
	return issues
}
