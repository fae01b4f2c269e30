package memory

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/memory/extract"
)

// Corrected is the result of a correction.
type Corrected struct {
	Old, New core.Entry // Old is the entry that was named, or the last correction of it
	Masked   int        // secrets that were taken out
}

// correctable is where entries are corrected.
type correctable interface {
	Entry(ctx context.Context, id string) (core.Entry, error)
	Put(ctx context.Context, rows ...core.Row) error
	Contexts(ctx context.Context, memory string, limit int) ([]core.ContextDoc, error)
}

// Correct adds an entry, with these tags, that corrects another or the last
// correction of it. The context tells it from then on.
func Correct(ctx context.Context, s correctable, named core.Entry, text, reason string, tags map[string]string) (Corrected, error) {
	old, err := lastOf(ctx, s, named)
	if err != nil {
		return Corrected{}, err
	}
	e := core.Entry{
		ID: newID(), Memory: old.Memory, Thread: old.Thread, Role: core.RoleUser,
		Raw: strings.TrimSpace(text), Corrects: old.ID, Reason: strings.TrimSpace(reason), Expires: old.Expires, Created: time.Now(),
	}
	if err := e.Check(); err != nil {
		return Corrected{}, err
	}
	hidden := 0
	for _, field := range []*string{&e.Raw, &e.Reason} {
		var n int
		*field, n = guard.Mask(*field)
		hidden += n
	}
	e.Summary, e.Tags = extract.Summary(string(e.Role), e.Raw, core.MaxSummary), map[string]string{tagBy: byExtract}
	maps.Copy(e.Tags, tags)
	if err := s.Put(ctx, e); err != nil {
		return Corrected{}, err
	}
	if e, err = s.Entry(ctx, e.ID); err != nil {
		return Corrected{}, err
	}
	return Corrected{old, e, hidden}, correctContext(ctx, s, old, e)
}

// amend corrects what the user said right before one of the messages that says what is right
// instead: "no, 2022".
func (i *invocation) amend(ctx context.Context) error {
	said := slices.DeleteFunc(slices.Clone(i.History), func(m core.Message) bool { return m.Role != core.RoleUser })
	for n := 1; n < len(said); n++ {
		asks, ok := lang.ReadAmendment(said[n].Text)
		isNew := slices.ContainsFunc(i.ToProcess, func(m core.Message) bool { return m.ID == said[n].ID })
		if !ok || !isNew || asks.Forget || asks.Right == "" || !lang.IsWorthNoting(said[n-1].Text) {
			continue
		}
		e, err := i.cfg.Store.Entry(ctx, said[n-1].ID+"/1")
		if err == nil {
			e, err = lastOf(ctx, i.cfg.Store, e)
		}
		if core.CodeOf(err) == core.CodeNotFound {
			continue // it was forgotten
		} else if err != nil {
			return err
		}
		if text := amended(e.Raw, asks); text != e.Raw {
			if _, err := Correct(ctx, i.cfg.Store, e, text, said[n].Text, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// amended is what was said with what is right instead, in the only statement in which there is
// something that it may be instead of.
func amended(raw string, asks lang.Amendment) string {
	fitting := slices.DeleteFunc(lang.Notes(raw), func(n lang.Noted) bool {
		return !lang.CanCorrect(n.Text, asks.Right) || !lang.HasReplaceableValue(n.Text, asks.Right)
	})
	if len(fitting) != 1 {
		return raw
	}
	return strings.Replace(raw, fitting[0].Text, lang.ApplyCorrection(fitting[0].Text, asks.Right), 1)
}

// lastOf is the last correction of an entry: the entry itself where it has none.
func lastOf(ctx context.Context, s correctable, e core.Entry) (core.Entry, error) {
	for seen := map[string]bool{}; e.Corrected != "" && !seen[e.Corrected]; {
		seen[e.Corrected] = true
		var err error
		if e, err = s.Entry(ctx, e.Corrected); err != nil {
			return e, err
		}
	}
	return e, nil
}

// correctContext adds a version of the context that tells an entry in place of
// another, where it knew that.
func correctContext(ctx context.Context, s correctable, wrong, right core.Entry) error {
	begun := time.Now() // what is forgotten from here on, the context must not know
	docs, err := s.Contexts(ctx, wrong.Memory, 1)
	if err != nil || len(docs) == 0 || docs[0].Upto < wrong.Seq {
		return err
	}
	turn := func(e core.Entry) extract.Turn {
		return extract.Turn{Role: string(e.Role), Text: e.Raw, Time: e.Created}
	}
	doc := core.ContextDoc{
		ID: newID(), Memory: wrong.Memory, Upto: docs[0].Upto, Created: begun,
		Content: extract.Correct(docs[0].Content, turn(wrong), turn(right), core.MaxContext),
	}
	if doc.Content == docs[0].Content {
		return nil
	}
	return s.Put(ctx, doc)
}
