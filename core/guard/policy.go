package guard

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
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

//nolint:gochecknoglobals // a constant
var verdicts = [...]Verdict{Allow, Redact, Block, ForceFailure}

// ParseVerdict reads a verdict as it is written in a configuration.
func ParseVerdict(s string) (Verdict, error) {
	if !slices.Contains(verdicts[:], Verdict(s)) {
		return "", fmt.Errorf("%q is not a verdict: use %s, %s, %s or %s", s, Allow, Redact, Block, ForceFailure)
	}
	return Verdict(s), nil
}

// severity is the place of v among the verdicts: that of Allow if it is absent, and of Block if it is unknown.
func (v Verdict) severity() int {
	if i := slices.Index(verdicts[:], v); i >= 0 {
		return i
	}
	return slices.Index(verdicts[:], Block)
}

// known is v with an absent verdict as Allow, and one that is unknown as Block.
func (v Verdict) known() Verdict { return verdicts[cmp.Or(v, Allow).severity()] }

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
		if v := h.Verdict.known(); v.severity() > worst.severity() {
			worst = v
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
	return settle(&w, s, w.text)
}

// Value is [Policy.Text] for the strings in structs, maps and lists at any depth, for the keys, and for JSON in a string. What
// is kept under a key such as password, token or api_key is a secret whatever it looks like, unless it is empty, true or false,
// obviously a placeholder, or, under any name but that of a password, a plain word: "secrets": "redact".
//
// The types stay what they are: where a mark does not fit, as in a map of numbers, the zero value stands in its place. JSON is
// JSON afterwards. Fields that are not exported, functions and channels stay. The argument is not changed.
func (p Policy) Value(v any) (clean any, hits []Hit) {
	w := p.pass()
	return settle(&w, v, w.value)
}

// JSON is [Policy.Value] for JSON. Numbers stay as exact as they were written.
// What is no JSON is looked at as text, and so is clean then. If nothing was
// found, clean is raw, except that of keys that an object has twice only the
// last is kept.
func (p Policy) JSON(raw []byte) (clean []byte, hits []Hit) {
	w := p.pass()
	return settle(&w, raw, func(raw []byte) []byte { return w.json(raw, "", 0) })
}

// settle masks v. What a detector failed on does not go on.
func settle[T any](w *pass, v T, mask func(T) T) (clean T, hits []Hit) {
	if !w.active() {
		return v, nil
	}
	if v = mask(v); !w.failed() {
		clean = v
	}
	return clean, w.hits()
}

// maxRounds is how often a text is looked at. A second look finds what the
// first has uncovered; a third is already rare.
const maxRounds = 6

// pass is one look at something with a policy.
type pass struct {
	detectors [guardrails]detector
	found     int
	copies    bool // a value is copied even where nothing is found
	keys      int  // of the objects that were looked at
}

type detector struct {
	name    string
	verdict Verdict
	find    func(s string) []Finding // in order, not overlapping
	mark    string                   // what its marks begin with
	kinds   []string                 // of what was found, in the order in which they turned up
	counts  []int                    // by kind
	err     error                    // it failed
}

func (p Policy) pass() pass {
	return pass{detectors: [guardrails]detector{
		secrets:   {name: "secrets", verdict: p.Secrets.known(), find: findSecrets, mark: markOpen},
		personal:  {name: "personal", verdict: p.Personal.known(), find: findPersonal, mark: markOpenPersonal},
		injection: {name: "injection", verdict: p.Injection.known(), find: findInjection, mark: markInjection},
	}}
}

func (w *pass) active() bool {
	return slices.ContainsFunc(w.detectors[:], func(d detector) bool { return d.verdict != Allow })
}

func (w *pass) failed() bool {
	return slices.ContainsFunc(w.detectors[:], func(d detector) bool { return d.err != nil })
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
			d.err = failure(r)
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
	d := &w.detectors[guardrail]
	w.found++
	i := slices.Index(d.kinds, kind)
	if i < 0 {
		i = len(d.kinds)
		d.kinds, d.counts = append(d.kinds, kind), append(d.counts, 0)
	}
	d.counts[i]++
	if guardrail == injection {
		return markInjection
	}
	return d.mark + kind + markClose
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

func (w *pass) hits() []Hit {
	var hits []Hit
	for _, d := range w.detectors {
		switch {
		case d.err != nil:
			hits = append(hits, Hit{d.name, Block, "it could not be looked at", d.err})
		case len(d.kinds) > 0:
			hits = append(hits, Hit{d.name, d.verdict, d.reason(), nil})
		}
	}
	return hits
}

// reason is such as "2 email addresses, 1 IBAN".
func (d *detector) reason() string {
	list := make([]string, len(d.kinds))
	for i, kind := range d.kinds {
		list[i] = fmt.Sprint(d.counts[i], " ", kindNames()[d.mark+kind][min(d.counts[i], 2)-1])
	}
	return strings.Join(list, ", ")
}

// failure is the error for a detector that panicked with r. What it panicked
// with is not in it unless it comes from the runtime: it could be the text.
func failure(r any) error {
	if err, ok := r.(runtime.Error); ok {
		return fmt.Errorf("the detector failed: %w", err)
	}
	return errors.New("the detector failed")
}
