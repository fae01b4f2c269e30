package guard

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// Verdict is what is done about what a guardrail found.
type Verdict string

// The verdicts, the mildest first. The zero value allows.
const (
	Allow        Verdict = "allow"         // nothing is looked for
	Redact       Verdict = "redact"        // it goes on without what was found
	Block        Verdict = "block"         // it does not go on
	ForceFailure Verdict = "force_failure" // whatever it is part of has failed
)

// ParseVerdict reads a verdict as it is written in a configuration.
func ParseVerdict(s string) (Verdict, error) {
	switch v := Verdict(s); v {
	case Allow, Redact, Block, ForceFailure:
		return v, nil
	}
	return "", fmt.Errorf("%q is not a verdict: use %s, %s, %s or %s", s, Allow, Redact, Block, ForceFailure)
}

// known is v with an absent verdict as Allow, and one that is unknown as Block.
func (v Verdict) known() Verdict {
	switch v {
	case "", Allow:
		return Allow
	case Redact, ForceFailure:
		return v
	}
	return Block
}

func (v Verdict) severity() int {
	switch v.known() {
	case Redact:
		return 1
	case Block:
		return 2
	case ForceFailure:
		return 3
	}
	return 0
}

// The guardrails.
const (
	secrets = iota
	personal
	injection
	guardrails // their number
)

// Policy says what is done about what each guardrail finds. The zero value
// looks for nothing.
type Policy struct {
	Secrets   Verdict // keys, tokens and passwords
	Personal  Verdict // email addresses, phone numbers, bank accounts, payment cards
	Injection Verdict // instructions to a model where data is expected
}

// Hit says what a guardrail found, and what is to be done about it.
type Hit struct {
	Guardrail string // one of [Policy.Names]
	Verdict   Verdict
	Reason    string // the kinds of what was found, and how many, but none of its words
	Err       error  // the detector failed; what it looked at is blocked
}

// Worst returns the most severe verdict of hits, or Allow if there are none.
func Worst(hits []Hit) Verdict {
	worst := Allow
	for _, h := range hits {
		if h.Verdict.severity() > worst.severity() {
			worst = h.Verdict.known()
		}
	}
	return worst
}

// Reasons names what was found, without its words.
func Reasons(hits []Hit) string {
	list := make([]string, len(hits))
	for i, h := range hits {
		list[i] = h.Reason
	}
	return strings.Join(list, ", ")
}

// Active reports whether p looks for anything.
func (p Policy) Active() bool {
	w := p.pass()
	return w.active()
}

// Names returns the guardrails that look for something: "secrets", "personal",
// "injection", in this order.
func (p Policy) Names() []string {
	var names []string
	for _, d := range p.pass().detectors {
		if d.verdict != Allow {
			names = append(names, d.name)
		}
	}
	return names
}

// Text looks at s. In clean each finding of a guardrail that does not allow is
// replaced by "[secret: kind]", "[personal: kind]" or "[instruction removed]",
// whatever the verdict. It is empty if a detector failed. There is one hit for
// each guardrail that found something. Text finds nothing in clean.
func (p Policy) Text(s string) (clean string, hits []Hit) {
	w := p.pass()
	return w.onText(s)
}

// Value is [Policy.Text] for the strings and keys in v, at any depth, as
// [MaskValue] knows them. It does not change v.
func (p Policy) Value(v any) (clean any, hits []Hit) {
	w := p.pass()
	return w.onValue(v)
}

// JSON is [Policy.Value] for JSON. Numbers stay as exact as they were written.
// What is no JSON is looked at as text, and so is clean then. If nothing was
// found, clean is raw, except that of keys that an object has twice only the
// last is kept.
func (p Policy) JSON(raw []byte) (clean []byte, hits []Hit) {
	w := p.pass()
	return w.onJSON(raw)
}

func (w *pass) onText(s string) (string, []Hit) {
	if s = w.text(s); w.failed() {
		s = ""
	}
	return s, w.hits()
}

func (w *pass) onValue(v any) (any, []Hit) {
	if !w.active() {
		return v, nil
	}
	if v = w.value(v); w.failed() {
		v = nil
	}
	return v, w.hits()
}

func (w *pass) onJSON(raw []byte) ([]byte, []Hit) {
	if !w.active() {
		return raw, nil
	}
	if raw = w.json(raw, "", 0); w.failed() {
		raw = nil
	}
	return raw, w.hits()
}

// maxRounds is how often a text is looked at. A second look finds what the
// first has uncovered; a third is already rare.
const maxRounds = 6

// pass is one look at something with a policy.
type pass struct {
	detectors [guardrails]detector
	tallies   [guardrails]tally
	found     int
	copies    bool // a value is copied even where nothing is found
	keys      int  // of the objects that were looked at
}

type detector struct {
	name    string
	verdict Verdict
	find    func(s string) []Finding // in order, not overlapping
	mark    string                   // what its marks begin with
}

func (p Policy) pass() pass {
	return pass{detectors: [guardrails]detector{
		secrets:   {"secrets", p.Secrets.known(), findSecrets, markOpen},
		personal:  {"personal", p.Personal.known(), findPersonal, markOpenPersonal},
		injection: {"injection", p.Injection.known(), findInjection, markInjection},
	}}
}

func (w *pass) active() bool {
	for i := range w.detectors {
		if w.looksFor(i) {
			return true
		}
	}
	return false
}

func (w *pass) looksFor(guardrail int) bool { return w.detectors[guardrail].verdict != Allow }

// text masks s until there is nothing left to be found, which makes masking
// twice the same as masking once: what one mark uncovers or cuts off may be a
// finding for another detector. A text that does not settle is masked whole.
func (w *pass) text(s string) string {
	for range maxRounds {
		before := w.found
		for i := range w.detectors {
			if w.looksFor(i) && !w.failed() {
				s = w.look(i, s)
			}
		}
		if w.found == before {
			return s
		}
	}
	return w.unread()
}

// look masks what one detector finds in s.
func (w *pass) look(guardrail int, s string) (masked string) {
	d := &w.detectors[guardrail]
	defer func() {
		if r := recover(); r != nil {
			masked = ""
			w.tallies[guardrail].err = failure(r)
		}
	}()
	found := d.find(s)
	if len(found) == 0 {
		return s
	}
	var b strings.Builder
	done := 0
	for _, f := range found {
		b.WriteString(s[done:f.Start])
		b.WriteString(w.mark(guardrail, f.Kind))
		done = f.End
	}
	b.WriteString(s[done:])
	return b.String()
}

// mark counts a finding and returns what stands in its place.
func (w *pass) mark(guardrail int, kind string) string {
	w.found++
	w.tallies[guardrail].add(kind)
	if d := &w.detectors[guardrail]; d.mark != markInjection {
		return d.mark + kind + markClose
	}
	return markInjection
}

// unread is for what cannot be looked at.
func (w *pass) unread() string {
	for i := range w.detectors {
		if w.looksFor(i) {
			return w.mark(i, kindUnread)
		}
	}
	return ""
}

func (w *pass) failed() bool {
	for i := range w.tallies {
		if w.tallies[i].err != nil {
			return true
		}
	}
	return false
}

func (w *pass) hits() []Hit {
	var hits []Hit
	for i, d := range w.detectors {
		switch t := &w.tallies[i]; {
		case t.err != nil:
			hits = append(hits, Hit{d.name, Block, "it could not be looked at", t.err})
		case len(t.kinds) > 0:
			hits = append(hits, Hit{d.name, d.verdict, t.reason(d.mark), nil})
		}
	}
	return hits
}

// failure is the error for a detector that panicked with r. What it panicked
// with is not in it unless it comes from the runtime: it could be the text.
func failure(r any) error {
	if err, ok := r.(runtime.Error); ok {
		return fmt.Errorf("the detector failed: %w", err)
	}
	return errors.New("the detector failed")
}

// tally counts findings by kind, in the order in which the kinds turned up.
type tally struct {
	kinds  []string
	counts []int
	err    error
}

func (t *tally) add(kind string) {
	for i := range t.kinds {
		if t.kinds[i] == kind {
			t.counts[i]++
			return
		}
	}
	t.kinds = append(t.kinds, kind)
	t.counts = append(t.counts, 1)
}

// reason is such as "2 email addresses, 1 IBAN".
func (t *tally) reason(mark string) string {
	var b strings.Builder
	for i, kind := range t.kinds {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(t.counts[i]))
		b.WriteByte(' ')
		b.WriteString(kindNames()[mark+kind][min(t.counts[i], 2)-1])
	}
	return b.String()
}
