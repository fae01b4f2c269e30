package room

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
)

const placeWords = 60 // characters of an entry that is only spoken of

const minutes = "2006-01-02 15:04" // of a time for people

// memoryAccess is a memory as commands use it, in the terminal and outside. What they
// say is Markdown, and not made safe.
type memoryAccess struct {
	store   maskedStore
	memory  core.Memory            // without an id: there is none yet
	meaning *memory.SemanticSearch // its searches
	named   bool                   // the user named it
}

// entry finds an entry of this memory by its id or its place.
func (s memoryAccess) entry(ctx context.Context, name string) (core.Entry, error) {
	e, err := s.forgettable(ctx, name)
	if err == nil && e.Expired(time.Now()) {
		err = core.Fail(core.CodeNotFound, fmt.Sprintf("entry #%d has expired", e.Seq), fmt.Sprintf("forget #%d removes its words from every file", e.Seq))
	}
	return e, err
}

// forgettable is entry for what makes sense after an entry has expired, too.
func (s memoryAccess) forgettable(ctx context.Context, name string) (core.Entry, error) {
	e, err := s.store.FindEntry(ctx, name)
	if err != nil || e.Memory == s.memory.ID {
		return e, err
	}
	all, err := s.paths(ctx)
	if err != nil {
		return e, err
	}
	refused := core.Fail(core.CodeNotFound, fmt.Sprintf("there is no entry %q in %s", name, cmp.Or(s.memory.Title, "the memory of this directory")), "")
	if at := slices.IndexFunc(all, func(p path) bool { return p.memory.ID == e.Memory }); at >= 0 {
		refused.Hint = "it is one of another memory: yaap memory with --memory " + core.QuoteWord(all[at].name) + " takes it"
	}
	return e, refused
}

// readableEntry is [memoryAccess.entry], and fails if the words of the entry were removed.
func (s memoryAccess) readableEntry(ctx context.Context, name string) (core.Entry, error) {
	e, err := s.entry(ctx, name)
	if err == nil && !e.Redacted.IsZero() {
		err = core.Fail(core.CodeConflict, fmt.Sprintf("the words of entry #%d were removed: there is nothing left but its place", e.Seq), "say it again, and it is remembered anew")
	}
	return e, err
}

// correct adds an entry that corrects another, or the last correction of it. The
// context tells it from then on.
func (s memoryAccess) correct(ctx context.Context, name, text, reason string) (string, error) {
	named, err := s.readableEntry(ctx, name)
	if err != nil {
		return "", err
	}
	done, err := memory.Correct(ctx, s.store, named, text, reason, nil)
	if err != nil {
		return "", err
	}
	old, e := done.Old, done.New
	said := fmt.Sprintf("#%d corrects #%d from now on; what #%d says stays as it was said.", e.Seq, old.Seq, old.Seq)
	if old.ID != named.ID {
		said = fmt.Sprintf("#%d was corrected by #%d already, so this corrects that. ", named.Seq, old.Seq) + said
	}
	if done.Masked > 0 {
		said += " What looked like a secret was masked."
	}
	return said, nil
}

// tag sets tags, each KEY=VALUE, or removes them: KEY=.
func (s memoryAccess) tag(ctx context.Context, name string, tags []string) (string, error) {
	e, err := s.readableEntry(ctx, name)
	if err != nil {
		return "", err
	}
	var rows []core.Row
	now := time.Now()
	for _, tag := range tags {
		key, value, ok := strings.Cut(tag, "=")
		if !ok || key == "" {
			return "", core.Fail(core.CodeInvalid, "a tag has a name and a value", "write it as KEY=VALUE, or as KEY= to remove it")
		}
		row := core.Tag{Entry: e.ID, Key: key, Value: value, Time: now}
		if err := row.Check(); err != nil {
			return "", err
		}
		rows = append(rows, row)
	}
	if err := s.store.Put(ctx, rows...); err != nil {
		return "", err
	}
	if e, err = s.store.Entry(ctx, e.ID); err != nil {
		return "", err
	}
	if len(e.Tags) == 0 {
		return fmt.Sprintf("#%d has no tags.", e.Seq), nil
	}
	return fmt.Sprintf("#%d has the tags %s.", e.Seq, tagList(e.Tags)), nil
}

func tagList(tags map[string]string) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, key+"="+tags[key])
	}
	return strings.Join(list, ", ")
}

// expire says how long an entry and its corrections are kept.
func (s memoryAccess) expire(ctx context.Context, name, when string) (string, error) {
	e, err := s.readableEntry(ctx, name)
	if err != nil {
		return "", err
	}
	now := time.Now()
	at, err := parseEnd(when, now)
	if err != nil {
		return "", err
	}
	if err := s.store.Put(ctx, core.Expiry{Entry: e.ID, At: at, Time: now}); err != nil {
		return "", err
	}
	if at.IsZero() {
		return fmt.Sprintf("#%d is kept for good.", e.Seq), nil
	}
	return fmt.Sprintf("#%d, what it corrects and what corrects it are remembered until %s. The message stays in its conversation, and what the context took from it stays there: to remove the words, forget #%d.",
		e.Seq, at.Local().Format(minutes), e.Seq), nil
}

// parseEnd reads a duration such as 90m, 12h, 30d or 2w, a date, a time, or
// never, which is zero.
func parseEnd(text string, now time.Time) (at time.Time, err error) {
	days := map[byte]int{'d': 1, 'w': 7}
	last := byte(' ')
	if text != "" {
		last = text[len(text)-1]
	}
	if text == "never" {
		return time.Time{}, nil
	}
	if unit, ok := days[last]; ok {
		if n, err := strconv.Atoi(text[:len(text)-1]); err == nil && n > 0 && n <= 36500 {
			return now.AddDate(0, 0, n*unit), nil // a time.Duration ends after 292 years
		}
	}
	if d, err := time.ParseDuration(text); err == nil {
		at = now.Add(d)
	}
	for _, layout := range []string{time.DateOnly, minutes, time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			at = t
		}
	}
	switch {
	case at.IsZero():
		return at, core.Fail(core.CodeInvalid, fmt.Sprintf("%.40q is no time", text),
			"say 12h, 30d or 2w from now, a date such as "+now.AddDate(0, 1, 0).Format(time.DateOnly)+", or never")
	case !at.After(now):
		return at, core.Fail(core.CodeInvalid, text+" is not in the future", "to remove the words now, forget the entry")
	}
	return at, nil
}

// forget removes the words of an entry or of a conversation.
func (s memoryAccess) forget(ctx context.Context, q core.ForgetQuery) (string, error) {
	if q.Entry != "" {
		e, err := s.forgettable(ctx, q.Entry)
		if err != nil {
			return "", err
		}
		q.Entry = e.ID
	}
	much, err := s.store.Forget(ctx, q)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("The words are in no file any more: those of %s, of %s and of %s that may have known them. "+
		"The places of the entries stay, marked as redacted, and the audit log tells that something was forgotten. "+
		"Other messages in which somebody said the same stay: search for it, and forget these, too.",
		text.Count(much.Entries, "entry", "entries"), text.Count(much.Messages, "message", "messages"), text.Count(much.Contexts, "version of the context", "versions of the context")), nil
}

// show is the context and the newest entries.
func (s memoryAccess) show(ctx context.Context, limit int, raw bool) (string, error) {
	contexts, err := s.store.Contexts(ctx, s.memory.ID, 1)
	if err != nil {
		return "", err
	}
	entries, err := s.store.Entries(ctx, s.memory.ID, core.EntryQuery{Limit: limit})
	if err != nil {
		return "", err
	}
	waiting, err := s.store.Unrecorded(ctx, s.memory.ID, 0)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", s.memory.Title)
	if len(waiting) > 0 {
		fmt.Fprintf(&b, "\n%s for an entry, and cannot be searched before.\n", text.Count(len(waiting), "message waits", "messages wait"))
	}
	if len(contexts) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(contexts[0].Content))
	}
	if len(entries) == 0 {
		b.WriteString("\nNothing is remembered here yet.\n")
	} else {
		b.WriteString("\n## Entries\n\n")
	}
	for _, e := range entries {
		text := e.Summary
		if raw {
			text = e.Raw
		}
		if !e.Redacted.IsZero() {
			text = "(redacted)"
		}
		fmt.Fprintf(&b, "- #%d %s %s: %s%s\n", e.Seq, e.Created.Local().Format(minutes), e.Role, text, s.links(ctx, e))
	}
	return b.String(), nil
}

// links says in brackets what an entry corrects and what corrects it.
func (s memoryAccess) links(ctx context.Context, e core.Entry) string {
	var out string
	for _, link := range []struct{ how, id string }{{"corrects", e.Corrects}, {"corrected by", e.Corrected}} {
		if link.id != "" {
			out += " (" + link.how + " " + s.place(ctx, link.id) + ")"
		}
	}
	return out
}

// place is how an entry is called: by its day and its words where it can be read.
func (s memoryAccess) place(ctx context.Context, id string) string {
	if e, err := s.store.Entry(ctx, id); err == nil {
		return fmt.Sprintf("#%d of %s, %q", e.Seq, e.Created.Local().Format("2 January 2006"), safe.Cut(cmp.Or(e.Summary, e.Raw), placeWords))
	}
	return "one that is gone"
}

// showEntry is all about one entry.
func (s memoryAccess) showEntry(ctx context.Context, name string) (string, error) {
	e, err := s.entry(ctx, name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# #%d %s %s\n\n", e.Seq, e.Created.Local().Format(minutes), e.Role)
	if e.Redacted.IsZero() {
		fmt.Fprintf(&b, "%s\n\n", e.Raw)
	} else {
		fmt.Fprintf(&b, "(redacted %s)\n\n", e.Redacted.Local().Format(minutes))
	}
	row := func(what, value string) {
		if value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", what, value)
		}
	}
	row("summary", e.Summary)
	row("tags", tagList(e.Tags))
	if e.Corrected != "" {
		row("corrected by", s.place(ctx, e.Corrected))
	}
	if e.Corrects != "" {
		row("corrects", s.place(ctx, e.Corrects))
	}
	row("because", e.Reason)
	if !e.Expires.IsZero() {
		row("remembered until", e.Expires.Local().Format(minutes))
	}
	row("entry", e.ID)
	row("conversation", e.Thread)
	return b.String(), nil
}

// found is one line about what a search found. Its score is not told: what
// corrects another entry comes first and what only repeats one last, whatever
// they score.
func (s memoryAccess) found(ctx context.Context, f core.Found, hit string) string {
	match := strings.NewReplacer("\x02", hit[:len(hit)/2], "\x03", hit[len(hit)/2:]).Replace(f.Match)
	return fmt.Sprintf("#%d  %s  %s: %s%s", f.Entry.Seq, f.Entry.Created.Local().Format(minutes), f.Entry.Role, match, s.links(ctx, f.Entry))
}

// path is a memory, and how it is called on the command line.
type path struct {
	name   string // VAULT/TITLE
	memory core.Memory
}

// paths are the memories of all vaults.
func (s memoryAccess) paths(ctx context.Context) (all []path, err error) {
	vaults, err := s.store.Vaults(ctx)
	if err != nil {
		return nil, err
	}
	for _, v := range vaults {
		memories, err := s.store.Memories(ctx, v.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range memories {
			all = append(all, path{v.Title + "/" + m.Title, m})
		}
	}
	return all, nil
}

// stats is what there is in some memories, in words.
func (s memoryAccess) stats(all []core.MemoryStats, bytes int64) string {
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "%s\n\n", m.Vault+"/"+m.Memory)
		fmt.Fprintf(&b, "- %s, %s, %d redacted, %d expired and not purged yet\n", text.Count(m.Entries, "entry", "entries"), text.Count(m.Corrections, "correction", "corrections"), m.Redacted, m.Expired)
		fmt.Fprintf(&b, "- %s without an entry\n", text.Count(m.Waiting, "message", "messages"))
		fmt.Fprintf(&b, "- %s, %s\n", text.Count(m.Contexts, "version of the context", "versions of the context"), text.Count(m.Tags, "name of a tag", "names of tags"))
		if !m.First.IsZero() {
			fmt.Fprintf(&b, "- from %s to %s\n", m.First.Local().Format(minutes), m.Last.Local().Format(minutes))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "The database takes %.1f MB.\n", float64(bytes)/1e6)
	return b.String()
}
