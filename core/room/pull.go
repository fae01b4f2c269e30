package room

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	toldEvery = 500 * time.Millisecond // how far a model has come
	barWidth  = 20
)

// pullModel has Ollama get a model, and has it answer then.
func pullModel(ctx context.Context, c *Call) (core.Doc, error) {
	name := strings.TrimPrefix(c.Args[0], "ollama/")
	m := c.Room.models
	url, err := m.ollamaURL(m.provider("ollama"))
	if err != nil {
		return core.Doc{}, err
	}
	var last time.Time
	err = ollama.Pull(ctx, url, name, func(p ollama.Pulled) {
		if now := time.Now(); now.Sub(last) >= toldEvery {
			last = now
			c.Tell(core.Notice{Level: "info", Text: pulled(name, p), Hint: "esc stops it; asked for again it goes on where it stopped", Progress: "pull " + name})
		}
	})
	if err != nil {
		return core.Doc{}, err
	}
	c.Tell(core.Notice{Level: "info", Text: name + " is here.", Progress: "pull " + name})
	c.Args = []string{"ollama/" + name}
	return useModel(ctx, c)
}

// pulled is a line with how far a model has come.
func pulled(name string, p ollama.Pulled) string {
	if p.Total <= 0 {
		return "getting " + safe.Line(name) + ": " + safe.Cut(safe.Line(p.Status), 60)
	}
	part := min(max(float64(p.Done)/float64(p.Total), 0), 1)
	full := int(part * barWidth)
	return fmt.Sprintf("getting %s [%s%s] %2.0f %% of %.1f GB", safe.Line(name), strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), part*100, float64(p.Total)/1e9)
}
