package room

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	completed     = 50                     // conversations that a shell is offered
	completedSoon = 700 * time.Millisecond // for the providers to say which models they have
)

// ChainNames are the chains that have a name.
func ChainNames(c *Call) []string { return chainNames(c.Config) }

// ThreadNames are the last conversations with their titles, as a shell completes them:
// the words after the tab explain. What cannot be read is left out.
func ThreadNames(ctx context.Context, c *Call) (list []string) {
	_ = c.stored(ctx, func(ctx context.Context) error {
		threads, err := c.store.Threads(ctx, core.ThreadQuery{Dir: c.Config.Dir, Limit: completed})
		for _, t := range threads {
			list = append(list, t.ID+"\t"+safe.Cut(safe.Line(t.Title), 60))
		}
		return err
	})
	return list
}

// ModelNames are the models that can be used now, with what each can do. Providers that
// are slow are left out.
func ModelNames(ctx context.Context, c *Call) (list []string) {
	m, err := newModels(c.Config, c.Getenv, new(wire.Tap), c.keeper())
	if err != nil {
		return []string{offlineName}
	}
	ctx, stop := context.WithTimeout(ctx, completedSoon)
	defer stop()
	all, _ := m.available(ctx)
	for _, one := range all {
		list = append(list, safe.Line(one.name)+"\t"+one.about())
	}
	return list
}

// suggestFiles are the files below the directory that have what was typed in their path,
// those that are nearest first.
func (r *Room) suggestFiles(ctx context.Context, typed string) (list []core.Suggestion) {
	root, err := os.OpenRoot(r.Config.Dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	want := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(typed, `"`), "./"))
	hidden := strings.HasPrefix(want, ".") || strings.Contains(want, "/.")
	looked := 0
	var begin, within []core.Suggestion
	for dirs := []string{"."}; len(dirs) > 0 && looked < maxLooked && len(begin) < maxSuggests && ctx.Err() == nil; dirs = dirs[1:] {
		entries, err := fs.ReadDir(root.FS(), dirs[0])
		if err != nil {
			continue // it is gone, or not the user's to read
		}
		for _, e := range entries {
			p := strings.TrimPrefix(dirs[0]+"/"+e.Name(), "./")
			looked++
			switch at := strings.Index(strings.ToLower(p), want); {
			case strings.HasPrefix(e.Name(), ".") && !hidden, slices.Contains([]string{"node_modules", "vendor", "__pycache__"}, e.Name()):
			case e.IsDir():
				dirs = append(dirs, p)
			case !e.Type().IsRegular() || at < 0 || strings.Contains(p, `"`):
			default:
				s := core.Suggestion{Text: "@" + p, Insert: "@" + core.QuotePath(p) + " ", At: -len(typed) - 1}
				if at == 0 || strings.HasPrefix(strings.ToLower(e.Name()), want) {
					begin = append(begin, s)
				} else {
					within = append(within, s)
				}
			}
		}
	}
	return append(begin, within...)
}
