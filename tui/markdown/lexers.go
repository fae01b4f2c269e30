package markdown

import (
	"embed"
	"io/fs"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// lexerFiles are chroma's lexers of the languages that are coloured. Its package of
// all lexers reads 240 of them when a process starts, which each expert would pay for.
//
//go:embed lexers/*.xml
var lexerFiles embed.FS

// lexers are read when the first code is coloured.
//
//nolint:gochecknoglobals // never changes
var lexers = sync.OnceValue(func() *chroma.LexerRegistry {
	registry := chroma.NewLexerRegistry()
	files, err := fs.Glob(lexerFiles, "lexers/*.xml")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		registry.Register(chroma.MustNewXMLLexer(lexerFiles, file))
	}
	return registry
})
