package guard

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// stream passes a text through a [Stream] in pieces of the given sizes.
func stream(text string, size func() int) string {
	var s Stream
	var b strings.Builder
	for text != "" {
		n := min(size(), len(text))
		b.WriteString(s.Write(text[:n]))
		text = text[n:]
	}
	return b.String() + s.Close()
}

func TestASecretInPiecesIsMaskedAsInOne(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, c := range trueCases() {
		for _, around := range []string{"", "Here it is, as you asked.\n"} {
			text := around + c.before + c.secret + c.after + around
			want, _ := Mask(text)
			for _, size := range []int{1, 2, 3, 7, 16} {
				if got := stream(text, func() int { return size }); got != want {
					t.Errorf("%q in pieces of %d is %q, want %q", text, size, got, want)
				}
			}
			if got := stream(text, func() int { return 1 + rnd.IntN(30) }); got != want {
				t.Errorf("%q is %q, want %q", text, got, want)
			}
		}
	}
}

func TestOrdinaryTextInPiecesStays(t *testing.T) {
	for _, text := range falseCases() {
		text = "See: " + text + "\nThat is all."
		want, _ := Mask(text)
		if got := stream(text, func() int { return 3 }); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestProseGoesOnWordByWord(t *testing.T) {
	var s Stream
	if got := s.Write("The build was slow because of the ca"); got != "The build was slow because of the " {
		t.Errorf("got %q", got)
	}
}

func TestWhatIsHeldBackIsBounded(t *testing.T) {
	var s Stream
	out := 0
	for range 200 {
		out += len(s.Write("password " + strings.Repeat("x", 1000)))
		if held := len(s.text) - s.sent; held > streamLimit+2000 {
			t.Fatalf("%d bytes are held back", held)
		}
	}
	if out == 0 {
		t.Error("nothing went on")
	}
}

func TestALongAnswerIsMaskedAsInOne(t *testing.T) {
	text := strings.Repeat(prose, 20) + "password=hunter2 and " + strings.Repeat(prose, 20)
	want, _ := Mask(text)
	if got := stream(text, func() int { return 5 }); got != want {
		t.Errorf("got %q", got)
	}
}

func BenchmarkStream(b *testing.B) {
	text := strings.Repeat(prose, 10)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		stream(text, func() int { return 4 })
	}
}
