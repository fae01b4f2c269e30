package link

import "testing"

func TestAHelloSaysOnlyWhatIsWrittenExactly(t *testing.T) {
	own, err := childHello(map[string]any{
		"v": 1, "name": "echo", "description": "Echoes.", "acts": true, "CONTEXT": true, "Acts": false, "actſ": false, "Name": "other",
	})
	if err != nil || own.Context || !own.Acts || own.Name != "echo" {
		t.Errorf("got %+v, %v", own, err)
	}
}
