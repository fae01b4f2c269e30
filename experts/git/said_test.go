package git

import (
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/expertstest"
)

func TestAFollowUpIsReadByWhatWasSaid(t *testing.T) {
	e, fix := desk(t)
	for _, tt := range []struct {
		said         []core.Message
		prompt, want string
		not          string
	}{
		{expertstest.Said("commits by ann"), "and since october?", "fix the lease", "start the project"},
		{expertstest.Said("commits by ann", "**3 commits** by ann."), "since November?", "say hello", "fix the lease"},
		{expertstest.Said("commits since October"), "and by bob?", "speed up", "say hello"},
		{expertstest.Said("commits since October"), "and bob", "speed up", "say hello"},
		{expertstest.Said("how many commits this week?", "**2 commits**"), "and last week?", "**1 commit**", ""},
		{slices.Concat(expertstest.Said("how many commits this week?", "**2 commits**"), expertstest.Said("who did that?", "**Ann Miller**, 2026-11-16: say hello")), "and last week?", "**1 commit**", ""},
		{expertstest.Said("how many commits by ann?", "**3 commits** by ann."), "how many were by bob?", "**2 commits** by bob", ""},
		{expertstest.Said("commits since October", "…"), "how many of them by Ann?", "**2 commits** by Ann", ""},
		{expertstest.Said("who has the most commits?", "**Ann Miller**: 3 commits"), "how many by bob?", "**2 commits** by bob", ""},
		{expertstest.Said("commits von Ann"), "und seit November?", "say hello", "fix the lease"},
		{expertstest.Said("commits de Ann"), "y desde noviembre?", "say hello", "fix the lease"},
		{expertstest.Said("history of main.go"), "and core/hub.go?", "speed up", "say hello"},
		{expertstest.Said("what does commit "+fix+" do", "**Ann Miller**, 2026-10-05: fix the lease timeout (`"+fix+"`)"), "who made it?", "Ann Miller", ""},
		{expertstest.Said("commits in September", "- **Bob Stone**: add the parser (`"+fix+"`)"), "what did it change?", "core/hub.go", ""},
		{expertstest.Said("history of docs/guide.md", "two commits"), "who changed it last?", "Carol Jones", ""},
		{expertstest.Said("last commit", "Carol, write the guide"), "and the one of last week?", "", ""},
	} {
		bid := e.bid(t.Context(), tt.prompt, tt.said)
		if tt.want == "" {
			if bid.Score >= 0.5 {
				t.Errorf("%s: %+v", tt.prompt, bid)
			}
			continue
		}
		reply := expertstest.Ask(t, asked(e), tt.prompt, tt.said...)
		if bid.Score < 0.5 || !strings.Contains(reply.Message, tt.want) || tt.not != "" && strings.Contains(reply.Message, tt.not) {
			t.Errorf("%s: %+v\n%s", tt.prompt, bid, reply.Message)
		}
		if alone := e.bid(t.Context(), tt.prompt, nil); !alone.Declines() {
			t.Errorf("%s, with nothing said: %+v", tt.prompt, alone)
		}
	}
}

func TestABidSaysWhatWasRead(t *testing.T) {
	e, fix := desk(t)
	for prompt, want := range map[string]string{
		"commits by ann since 2026-10-01":                "commits by ann since 2026-10-01",
		"who changed main.go last":                       "who changed main.go",
		"what does commit " + fix + " do":                "the commit " + fix,
		"git push origin main":                           "a change of the repository: git push",
		"who wrote line 4 of main.go":                    "who wrote line 4 of main.go",
		"which branches are not merged":                  "branches that are not merged",
		"diff v1.0..v1.1":                                "what changed from v1.0 to v1.1",
		"commits by Zed":                                 "commits by Zed",
		"when did Bob Stone commit?":                     "commits by Bob Stone",
		"commits by Ann and Bob":                         "commits by Ann and Bob",
		"how many commits did bob make?":                 "how many commits by bob",
		"how many commits are there, and how many files": "",
	} {
		if got := e.bid(t.Context(), prompt, nil).Reads; got != want {
			t.Errorf("%s: %q, want %q", prompt, got, want)
		}
	}
}

func TestAReleaseThatIsToComeIsLeftToWhoeverKnowsBetter(t *testing.T) {
	e, _ := desk(t)
	for prompt, sure := range map[string]bool{
		"when is the release?": false, "who does the release?": false, "wann ist das Release?": false,
		"when was the last release?": true, "what's the latest release?": true, "how many releases are there?": true, "releases": true,
	} {
		if score := e.bid(t.Context(), prompt, nil).Score; score >= 0.9 != sure || score == 0 {
			t.Errorf("%s: %.2f", prompt, score)
		}
	}
}

func TestWhoIsNotAnAuthorIsAskedBack(t *testing.T) {
	e, _ := desk(t)
	if bid := e.bid(t.Context(), "commits by Zed", nil); bid.Score > experts.Understood || len(bid.Needs) == 0 {
		t.Errorf("nobody of that name: %+v", bid)
	}
	if bid := newExpert(t.TempDir()).bid(t.Context(), "last 5 commits", nil); bid.Score < 0.9 {
		t.Errorf("where there is no repository: %+v", bid)
	}
}
