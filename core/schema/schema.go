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
type Schema struct{ compiled *jsonschema.Schema }

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
	return &Schema{compiled: compiled}, nil
}

// closed is a loader that loads nothing.
type closed struct{}

func (closed) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s: references to other documents are not allowed", url)
}

// Check returns what is wrong with a JSON value, a sentence each; nothing
// means that it fits.
func (s *Schema) Check(value json.RawMessage) []string {
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
