package guard

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// holds fails the test if s is not masked as it is promised.
func holds(t *testing.T, s string) {
	t.Helper()
	end := 0
	found := findSecrets(s)
	for _, f := range found {
		if f.Start < end || f.End <= f.Start || f.End > len(s) || f.Kind == "" {
			t.Errorf("%q: findings are not in order: %v", s, found)
			return
		}
		if markLen(mark(f.Kind)) == 0 {
			t.Errorf("the mark of %s is not known as one", f.Kind)
		}
		end = f.End
	}
	once, n := Mask(s)
	if n < len(found) { // what a mark uncovers may be more
		t.Errorf("%q: %d masked, %d found", s, n, len(found))
	}
	if twice, n := Mask(once); twice != once || n != 0 {
		t.Errorf("%q: masked once %q, twice %q", s, once, twice)
	}
	if utf8.ValidString(s) && !utf8.ValidString(once) {
		t.Errorf("%q: %q is not UTF-8", s, once)
	}
}

// pieces are what secrets and what is near them are made of.
func pieces() []string {
	out := []string{
		" ", "\n", "=", ":", "://", "@", "\"", "'", "`", "\\\"", "\\n", "\\", ",", ";", ")", "(", "]", "[", "<", ">", "-", "--", "-----", "_", ".", "%", "%3D", "\x1b[1m", "*",
		"password", "PASSWORD", "token", "secret", "api key", "Authorization", "Bearer ", "Basic ", "https", "user", "export ", "</", "&", "?", "$", "{", "ü", "…", "\xff",
		"example", "your_", "hunter2", "swordfish", "x", "1234", "eyJ", "sk-", "ghs_", "glpat-", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----",
		body(16, alnums), body(40, alnums), body(40, hexa), "[secret: password]", "[secret: ", "[secret:", "secret: ", "[secret: x]",
	}
	for _, c := range trueCases() {
		out = append(out, c.secret, c.before+c.secret+c.after)
	}
	return out
}

func TestMaskingTwiceIsMaskingOnce(t *testing.T) {
	for _, c := range trueCases() {
		holds(t, c.before+c.secret+c.after)
	}
	parts := pieces()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		var b strings.Builder
		for range 1 + rnd.IntN(10) {
			b.WriteString(parts[rnd.IntN(len(parts))])
		}
		holds(t, b.String())
		if t.Failed() {
			return
		}
	}
}

// settles fails the test if a policy finds something in what it made of s.
func settles(t *testing.T, s string) {
	t.Helper()
	for _, p := range []Policy{{Personal: Redact}, {Injection: Redact}, redactAll()} {
		once, hits := p.Text(s)
		if (hits == nil) != (once == s) {
			t.Errorf("%v: %q became %q, but %v", p, s, once, hits)
		}
		if twice, hits := p.Text(once); twice != once || hits != nil {
			t.Errorf("%v: %q: once %q, twice %q, %v", p, s, once, twice, hits)
		}
		if utf8.ValidString(s) && !utf8.ValidString(once) {
			t.Errorf("%v: %q: %q is not UTF-8", p, s, once)
		}
		for _, in := range []string{s, strconv.Quote(s), `{"phone":` + strconv.Quote(s) + `}`} {
			once, _ := p.JSON([]byte(in))
			if twice, hits := p.JSON(once); string(twice) != string(once) || hits != nil {
				t.Errorf("%v: %q: JSON once %q, twice %q, %v", p, in, once, twice, hits)
			}
			if json.Valid([]byte(in)) && !json.Valid(once) {
				t.Errorf("%v: %q: %q is not JSON", p, in, once)
			}
		}
		for _, h := range hits {
			if h.Err != nil {
				t.Errorf("%v: %q: %v", p, s, h.Err)
			}
		}
	}
	for _, find := range []func(string) []Finding{findPersonal, findInjection} {
		end := 0
		for _, f := range find(s) {
			if f.Start < end || f.End <= f.Start || f.End > len(s) || f.Kind == "" {
				t.Errorf("%q: findings are not in order: %v", s, find(s))
			}
			end = f.End
		}
	}
}

// bits are what findings of all kinds and what is near them are made of.
func bits() []string {
	out := slices.Concat(pieces(), notPersonal(), talk())
	for _, c := range personalCases() {
		out = append(out, c.data, c.before+c.data+c.after)
	}
	for _, c := range injectionCases() {
		out = append(out, c.order, c.before+c.order+c.after)
	}
	return append(out, "ignore", "all", "previous", "instructions", "you are now", "do not", "tell", "the user", "phone", "+", "0", "(", "!", "![](http://x?q=", "<|im_start|>",
		"\u200b", "\u202e", "\U000e0041", "[personal: email]", "[personal: ", "[instruction removed]", "[instruction", "system", "### ", "a@b.com", "@", ".com", "12", "4111")
}

func TestLookingTwiceIsLookingOnce(t *testing.T) {
	parts := bits()
	for _, s := range parts {
		settles(t, s)
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 1_000 {
		var b strings.Builder
		for range 1 + rnd.IntN(10) {
			b.WriteString(parts[rnd.IntN(len(parts))])
			if rnd.IntN(3) == 0 {
				b.WriteByte(' ')
			}
		}
		settles(t, b.String())
		if t.Failed() {
			return
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range bits() {
		f.Add(s)
	}
	f.Fuzz(settles)
}

func FuzzMask(f *testing.F) {
	for _, s := range pieces() {
		f.Add(s)
	}
	for _, s := range falseCases() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { holds(t, s) })
}

const prose = "We looked at the build again: the cache was cold, so each step took its time. " +
	"A token in the request is checked by the server, see https://example.com/docs#auth for how.\n" +
	"\tif err := run(ctx, args); err != nil { return fmt.Errorf(\"run: %w\", err) }\n"

// The time for 100 KB has to be about ten times that for 10 KB.
func BenchmarkText(b *testing.B) {
	hostile := []string{
		"@", "a@", "a@b.", "a@b.com", "+1", "(1", "1 ", "4111 ", "1", "DE89", "DE89 ", "ignore ", "ignore all ", "you ", "you are now ", "not ", "do not tell the ", "a-", "a'", "é", "\u200b", "\u200ba", "\U000e0041", "\u202e",
		"![", "![](", "![](http://x?q=", "<img ", "<|im_start|>", "###", "\n#", "\n[", "[instruction ", "call the tool ", "\"ignore previous instructions\" ", "a@b.com ", "ssh -a ", "phone ", "\xff", "a_", "0049 ",
	}
	for _, part := range append([]string{prose}, hostile...) {
		for _, size := range []int{10_000, 100_000} {
			b.Run(strings.ReplaceAll(part[:min(len(part), 16)], "/", "_")+"/"+strconv.Itoa(size), func(b *testing.B) {
				s := strings.Repeat(part, size/len(part))
				b.SetBytes(int64(len(s)))
				b.ReportAllocs()
				for b.Loop() {
					redactAll().Text(s)
				}
			})
		}
	}
}

func BenchmarkMaskProse(b *testing.B) {
	s := strings.Repeat(prose, 1<<20/len(prose))
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Mask(s)
	}
}

// What an attacker would write to make it slow.
func BenchmarkMaskWorst(b *testing.B) {
	for _, part := range []string{
		"password=", "password:\"", "password='x\\", "password=(", "password=\"", "token=\\\"", "a://", "a://b@", "sk-", "eyJ.", "eyJ", "ghs_", "ghp_a.",
		"-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-----", "Bearer ", "basic a", "[secret: ", "[secret: jwt]", "--token ", "a", "_", "%41", "\x1b[", "=", ":", "\xe2", "<a>",
	} {
		b.Run(strings.ReplaceAll(part, "/", "_"), func(b *testing.B) {
			s := strings.Repeat(part, 1<<20/len(part))
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Mask(s)
			}
		})
	}
}
