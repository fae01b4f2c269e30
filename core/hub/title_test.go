package hub

import "testing"

func TestAnExpertThatHasNotSaidHelloIsCalledByItsCommand(t *testing.T) {
	for want, command := range map[string][]string{
		"heron":             {"python3", "birds/Heron.py", "--loud"},
		"server-everything": {"npx", "-y", "@modelcontextprotocol/server-everything"},
		"sh":                {"sh", "-c", "echo bad luck >&2; exit 1"},
		"newt":              {"/usr/bin/newt", "8080"},
		"expert":            {"./7"},
	} {
		c := child{spec: Spec{Command: command}}
		if got := c.title(); got != want {
			t.Errorf("%q: got %q, want %q", command, got, want)
		}
	}
}
