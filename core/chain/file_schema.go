package chain

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var fileSchema []byte

// Schema returns the JSON Schema of chain files, for editors. It knows less than
// [Check]: only what can be told of a file's form.
func Schema() []byte { return slices.Clone(fileSchema) }
