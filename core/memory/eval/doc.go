// Package eval measures how well a memory finds again what was said: questions
// with known evidence are asked of a search, and the share of the evidence that
// comes back is told. No model is needed, and the same data come to the same
// figures.
package eval

import _ "embed" // for the set

//go:embed testdata/chat.jsonl
var chat []byte
