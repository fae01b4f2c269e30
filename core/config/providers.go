package config

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
)

// Provider has models whose names begin with its own. What is empty is as yaap knows
// the provider, if it does.
type Provider struct {
	Type       string            `yaml:"type"`        // openai, anthropic or ollama
	URL        string            `yaml:"url"`         // where it is
	Key        string            `yaml:"key"`         // the variable that holds the key
	KeyCommand []string          `yaml:"key_command"` // the program that prints the key, in place of a variable
	Headers    map[string]string `yaml:"headers"`     // sent with each request; nobody is shown them
	Insecure   bool              `yaml:"insecure"`    // it may be reached over plain HTTP on another machine
}

// Model says how one model is used. What is zero is as the provider has it.
type Model struct {
	Context     int      `yaml:"context"`     // tokens that it reads, the answer included
	MaxTokens   int      `yaml:"max_tokens"`  // of an answer
	Temperature *float64 `yaml:"temperature"` // of its choice of words
	Effort      string   `yaml:"effort"`      // of its reasoning
	Budget      int      `yaml:"budget"`      // tokens of its reasoning
	Price       *Price   `yaml:"price"`
}

// Price is in dollars for a million tokens.
type Price struct {
	Input  float64 `yaml:"input"`
	Cached float64 `yaml:"cached"` // of the input, what the provider still had; 0: as the rest
	Output float64 `yaml:"output"`
}

var providerName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// ProviderTypes are the interfaces that providers have.
func ProviderTypes() []string { return []string{"openai", "anthropic", "ollama"} }

func providersSchema() object {
	words := object{"type": "string"}
	return object{"type": "object", "propertyNames": object{"pattern": providerName.String()}, "additionalProperties": object{
		"type": "object", "additionalProperties": false, "properties": object{
			"type":        object{"enum": ProviderTypes(), "description": "The interface that it has; openai where nothing is said."},
			"url":         object{"type": "string", "description": "Where it is, up to what the interface adds: https://api.example.com/v1."},
			"key":         object{"type": "string", "description": "The variable of the environment that holds the key."},
			"key_command": object{"type": "array", "items": words, "minItems": 1, "description": "The program that prints the key, with its arguments."},
			"headers":     object{"type": "object", "additionalProperties": words},
			"insecure":    object{"type": "boolean", "description": "It may be reached over plain HTTP on another machine without asking."},
		},
	}}
}

func modelsSchema() object {
	price := object{"type": "number", "minimum": 0}
	count := object{"type": "integer", "minimum": 1}
	return object{"type": "object", "additionalProperties": object{
		"type": "object", "additionalProperties": false, "properties": object{
			"context": count, "max_tokens": count, "budget": count, "temperature": object{"type": "number", "minimum": 0, "maximum": 2}, "effort": object{"type": "string"},
			"price": object{"type": "object", "additionalProperties": false, "description": "Dollars for a million tokens.", "properties": object{"input": price, "cached": price, "output": price}},
		},
	}}
}

// checkProviders refuses what no provider and no model can be.
func (c *Config) checkProviders() error {
	for _, name := range slices.Sorted(maps.Keys(c.Providers.V)) {
		p := c.Providers.V[name]
		address, err := url.Parse(p.URL)
		switch {
		case !providerName.MatchString(name) || name == "offline":
			return invalid(fmt.Sprintf("no provider can be called %q (%s)", name, c.Providers.From), "use small letters, digits and hyphens", nil)
		case p.Type != "" && !slices.Contains(ProviderTypes(), p.Type):
			return invalid(fmt.Sprintf("the provider %s has the type %q (%s)", name, p.Type, c.Providers.From), "use openai, anthropic or ollama", nil)
		case p.URL != "" && (err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" || address.User != nil):
			return invalid(fmt.Sprintf("the provider %s has no address of the web (%s)", name, c.Providers.From), "write it as https://HOST/v1, without a password", nil)
		case p.Key != "" && len(p.KeyCommand) > 0:
			return invalid(fmt.Sprintf("the provider %s has a key and a key_command (%s)", name, c.Providers.From), "leave one of them out", nil)
		case p.Key != "" && !variableName.MatchString(p.Key):
			return invalid(fmt.Sprintf("the key of the provider %s is no name of a variable (%s)", name, c.Providers.From), "write the name of the variable that holds it, never the key itself", nil)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Models.V)) {
		if m := c.Models.V[name]; min(m.Context, m.MaxTokens, m.Budget) < 0 {
			return invalid(fmt.Sprintf("the model %s has a number below zero (%s)", name, c.Models.From), "leave it out, or write the tokens", nil)
		}
	}
	return nil
}

var variableName = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
