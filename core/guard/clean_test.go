package guard

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type note struct {
	ID    string
	Text  string
	Args  json.RawMessage
	Data  map[string]any
	Parts []part
	Next  *note
	Any   any
	When  time.Time
	Say   func()
	state string
}

type part struct{ Words []string }

func TestSecretsAreMaskedInValuesOfAnyType(t *testing.T) {
	in := note{
		ID: "0199c1d2-7a3b-7c4d-8e5f-0123456789ab", Text: `{"token": 123456789012345678, "n": 1.50}`,
		Args: json.RawMessage(`{"prompt":"my password is Gorse-Linnet7","n":12345678901234567890}`),
		Data: map[string]any{"password": "Quiet Heron", "n": 3}, Parts: []part{{Words: []string{"a", "pw: Ferret.77"}}},
		Next: &note{Text: "mdp=Lavande_06"}, Any: part{Words: []string{"clave=peon4rey"}}, When: time.Unix(1, 0), state: "pw: Ferret.77",
	}
	got, n := Clean(in)
	want := in
	want.Text = `{"n":1.50,"token":"[secret: token]"}`
	want.Args = json.RawMessage(`{"n":12345678901234567890,"prompt":"my password is [secret: password]"}`)
	want.Data = map[string]any{"password": "[secret: password]", "n": 3}
	want.Parts = []part{{Words: []string{"a", "pw: [secret: password]"}}}
	want.Next = &note{Text: "mdp=[secret: password]"}
	want.Any = part{Words: []string{"clave=[secret: password]"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(note{})); diff != "" || n != 6 {
		t.Errorf("%d masked (-want +got)\n%s", n, diff)
	}
	if in.Parts[0].Words[1] != "pw: Ferret.77" || in.Data["password"] != "Quiet Heron" || in.Next.Text != "mdp=Lavande_06" {
		t.Errorf("the argument was changed: %v", in)
	}
}

func TestAValueWithoutSecretsIsReturnedAsItIs(t *testing.T) {
	in := &note{Text: "the build", Args: json.RawMessage(`{"b": 1, "a": "x"}`), Data: map[string]any{"a": []any{1, "b"}}}
	got, n := Clean(in)
	if n != 0 || got != in {
		t.Errorf("%d masked in %v", n, got)
	}
	if allocs := testing.AllocsPerRun(10, func() { Clean(in.Args) }); allocs > 8 {
		t.Errorf("%v allocations for JSON without secrets", allocs)
	}
}
