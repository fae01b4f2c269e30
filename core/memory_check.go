package core

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// What a memory takes, in characters; of tags and ids in bytes.
const (
	MaxTitle    = 50
	MaxRaw      = 9000 // a longer message becomes several entries
	MaxSummary  = 512
	MaxReason   = 512
	MaxContext  = 5000
	MaxVector   = 8192 // numbers of an embedding
	MaxEntries  = 50   // of one EntryQuery or SearchQuery
	MaxTags     = 32
	MaxTagKey   = 64
	MaxTagValue = 1024
	maxID       = 256
)

// Check fails with [CodeInvalid] for a vault that cannot be stored.
func (v Vault) Check() error {
	if err := checkIDs(field{"vault", v.ID}); err != nil {
		return err
	}
	return checkTitle("vault", v.Title)
}

// Check fails with [CodeInvalid] for a memory that cannot be stored.
func (m Memory) Check() error {
	if err := checkIDs(field{"memory", m.ID}, field{"vault", m.Vault}); err != nil {
		return err
	}
	if m.Kind != "" && m.Kind != "chat" {
		return unfit(fmt.Sprintf("there is no kind of memory %q", m.Kind), "leave the kind out, or use chat")
	}
	return checkTitle("memory", m.Title)
}

// Check fails with [CodeInvalid] for an entry that cannot be stored.
func (e Entry) Check() error {
	if err := checkIDs(field{"entry", e.ID}, field{"memory", e.Memory}); err != nil {
		return err
	}
	switch e.Role {
	case RoleUser, RoleAssistant, RoleSystem, RoleTool:
	default:
		return unfit(fmt.Sprintf("an entry has no role %q", e.Role), "use user, assistant, system or tool")
	}
	if e.Raw == "" {
		return unfit("an entry has no text", "give the words that are to be remembered")
	}
	if e.Part < 0 || e.Part > 0 && e.Message == "" {
		return unfit("an entry is a part of no message", "name the message, and count its parts from 1")
	}
	for _, f := range []struct {
		name, text string
		most       int
		hint       string
	}{
		{"raw_entry", e.Raw, MaxRaw, "split it into several entries"},
		{"summary", e.Summary, MaxSummary, "say it in fewer words"},
		{"reason", e.Reason, MaxReason, "say it in fewer words"},
		{"id", e.Thread, maxID, "use a UUID"},
		{"id", e.Message, maxID, "use a UUID"},
		{"id", e.Corrects, maxID, "use a UUID"},
	} {
		if err := checkText(f.name, f.text, f.most, f.hint); err != nil {
			return err
		}
	}
	return checkTags(e.Tags)
}

// Expired reports whether the entry's time is over at t.
func (e Entry) Expired(t time.Time) bool { return !e.Expires.IsZero() && !e.Expires.After(t) }

// Check fails with [CodeInvalid] for a tag that cannot be stored.
func (t Tag) Check() error {
	if err := checkIDs(field{"entry", t.Entry}); err != nil {
		return err
	}
	return checkTags(map[string]string{t.Key: t.Value})
}

// Check fails with [CodeInvalid] for an expiry that cannot be stored.
func (x Expiry) Check() error { return checkIDs(field{"entry", x.Entry}) }

// Check fails with [CodeInvalid] for a context that cannot be stored.
func (c ContextDoc) Check() error {
	if err := checkIDs(field{"context", c.ID}, field{"memory", c.Memory}); err != nil {
		return err
	}
	if strings.TrimSpace(c.Content) == "" {
		return unfit("a context has no text", "give what the memory comes to")
	}
	if c.Upto < 0 {
		return unfit("a context reaches up to a place below 0", "give the place of the last entry that it knows")
	}
	return checkText("content", c.Content, MaxContext, "leave out what matters least")
}

// Check fails with [CodeInvalid] for a recording that cannot be stored.
func (r Recording) Check() error {
	if err := checkIDs(field{"thread", r.Thread}); err != nil {
		return err
	}
	return checkText("id", r.Memory, maxID, "use a UUID")
}

// Check fails with [CodeInvalid] when the limit is out of bounds.
func (q EntryQuery) Check() error { return checkLimit(q.Limit) }

// Check fails with [CodeInvalid] when the limit is out of bounds.
func (q SearchQuery) Check() error {
	if len(q.Meaning.Vector) > 0 {
		if err := q.Meaning.Check(); err != nil {
			return err
		}
	}
	return checkLimit(q.Limit)
}

// Check fails with [CodeInvalid] for a vector that cannot be compared.
func (e Embedding) Check() error {
	var sum float64
	for _, x := range e.Vector {
		sum += float64(x) * float64(x)
	}
	if e.Model == "" || len(e.Vector) > MaxVector || !(sum > 0.99 && sum < 1.01) { // NaN is not
		return unfit("an embedding is not a vector of length 1 that a model made", "choose another model with memory_embeddings")
	}
	return nil
}

// Check fails with [CodeInvalid] unless q names one thing.
func (q ForgetQuery) Check() error {
	if (q.Entry == "") == (q.Thread == "") {
		return unfit("it is not said what is to be forgotten", "name one entry or one conversation")
	}
	return nil
}

type field struct{ name, text string }

func checkIDs(ids ...field) error {
	for _, id := range ids {
		if id.text == "" {
			return unfit("the id of the "+id.name+" is missing", "use a UUID")
		}
		if err := checkText("id", id.text, maxID, "use a UUID"); err != nil {
			return err
		}
	}
	return nil
}

func checkTitle(of, title string) error {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"
	if title == "" || len(title) > MaxTitle || strings.Trim(title, letters) != "" {
		return unfit(
			fmt.Sprintf("%q cannot be the title of a %s", start(title), of),
			fmt.Sprintf("use 1 to %d letters (A-Z, a-z), digits and hyphens, such as my-project", MaxTitle))
	}
	return nil
}

func checkTags(tags map[string]string) error {
	if len(tags) > MaxTags {
		return unfit(fmt.Sprintf("an entry has %d tags, and %d are allowed", len(tags), MaxTags), "use fewer tags")
	}
	for key, value := range tags {
		if key == "" || len(key) > MaxTagKey || len(value) > MaxTagValue {
			return unfit(
				fmt.Sprintf("the tag %q does not fit", start(key)),
				fmt.Sprintf("a tag has a name of 1 to %d bytes and a value of at most %d", MaxTagKey, MaxTagValue))
		}
		for _, text := range []string{key, value} {
			if err := checkText("tag", text, MaxTagValue, "use a shorter one"); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkText(name, text string, most int, hint string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return unfit(name+" holds bytes that are not text (invalid UTF-8, or a NUL)", "leave these bytes out, or write them as text")
	}
	if len(text) <= most { // bytes: mostly that is enough to know
		return nil
	}
	if n := utf8.RuneCountInString(text); n > most {
		return unfit(fmt.Sprintf("%s has %d characters, and %d are allowed", name, n, most), hint)
	}
	return nil
}

func checkLimit(limit int) error {
	if limit < 0 || limit > MaxEntries {
		return unfit(fmt.Sprintf("%d entries cannot be asked for at once", limit), fmt.Sprintf("ask for 1 to %d", MaxEntries))
	}
	return nil
}

// start is the beginning of a text, for messages.
func start(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func unfit(message, hint string) error {
	return Fail(CodeInvalid, message, hint)
}
