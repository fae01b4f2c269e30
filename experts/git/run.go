package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts/plain"
)

// repo runs git in dir.
type repo struct{ dir string }

var errFull = errors.New("too much output")

// capped keeps the first maxOutput bytes and then fails, which ends git.
type capped struct {
	bytes.Buffer
	full bool
}

func (c *capped) Write(p []byte) (int, error) {
	if room := maxOutput - c.Len(); len(p) > room {
		c.full = true
		c.Buffer.Write(p[:room])
		return room, errFull
	}
	return c.Buffer.Write(p)
}

// settings overrule what a repository configures: whatever would run a program
// or ask the network is off.
const settings = `core.fsmonitor=false core.hooksPath=/dev/null core.pager=cat core.sshCommand=false core.gitProxy=false
	core.askPass= core.alternateRefsCommand=false core.untrackedCache=false core.quotePath=false credential.helper=
	protocol.allow=never log.showSignature=false gpg.program=false gpg.ssh.program=false gpg.x509.program=false
	log.follow=false blame.ignoreRevsFile= submodule.recurse=false diff.ignoreSubmodules=all color.ui=false
	i18n.logOutputEncoding=UTF-8`

// run returns what git prints, at most maxOutput bytes; nothing is an error
// about that it was cut. No argument that a user wrote may stand before "--":
// revisions are hashes by then.
func (r repo) run(ctx context.Context, args ...string) (string, error) {
	return r.runWith(ctx, nil, args...)
}

// runWith is run with more settings: names with the values behind them.
func (r repo) runWith(ctx context.Context, more []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-pager"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = environment(more)
	cmd.WaitDelay = time.Second
	var out, stderr capped
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case out.full, err == nil:
		return strings.ToValidUTF8(out.String(), "\ufffd"), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", core.Fail(core.CodeNotFound, "The git program is not installed, or not on the PATH.", "Install git and ask again.").Because(err)
	}
	said, _, _ := strings.Cut(strings.ToValidUTF8(strings.TrimSpace(stderr.String()), "\ufffd"), "\n")
	return "", fmt.Errorf("%s: %w", clip(strings.TrimPrefix(said, "fatal: "), maxSubject), err)
}

func environment(more []string) []string {
	env := []string{
		"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_ASKPASS=false",
	}
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	n := 0
	set := func(key, value string) {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		n++
	}
	for _, setting := range strings.Fields(settings) {
		key, value, _ := strings.Cut(setting, "=")
		set(key, value)
	}
	for pair := range slices.Chunk(more, 2) {
		set(pair[0], pair[1])
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}

// runOnFiles is run for what compares the files on disk: git would send them
// through the filters that the repository configures, so these are taken out.
func (r repo) runOnFiles(ctx context.Context, args ...string) (string, error) {
	names, err := r.run(ctx, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if err != nil && ctx.Err() != nil {
		return "", err // otherwise there are none
	}
	var off []string
	for key := range strings.SplitSeq(names, "\x00") {
		switch {
		case strings.HasSuffix(key, ".required"):
			off = append(off, key, "false")
		case key != "":
			off = append(off, key, "")
		}
	}
	return r.runWith(ctx, off, args...)
}

// check says in words why there is nothing to ask here.
func (r repo) check(ctx context.Context) error {
	out, err := r.run(ctx, "rev-parse", "--is-inside-work-tree", "--is-bare-repository")
	var known *core.Error
	switch {
	case err == nil && strings.Contains(out, "true"):
		return nil
	case err == nil:
		return core.Fail(core.CodeRefused, "The repository here keeps its files somewhere else.", "Start yaap in the directory that holds its files.")
	case ctx.Err() != nil, errors.As(err, &known):
		return err
	case strings.Contains(err.Error(), "dubious ownership"):
		return core.Fail(core.CodeRefused, "Git does not trust this repository: it belongs to another user.",
			"If you trust it, run: git config --global --add safe.directory "+r.dir).Because(err)
	case strings.Contains(err.Error(), "not a git repository"):
		return core.Fail(core.CodeNotFound, "This directory is not in a git repository.", "Start yaap in one, or make one with “git init”.").Because(err)
	}
	return err
}

// revision is how a name must look before git is asked what it stands for.
//
//nolint:gochecknoglobals // never changes; see plain.LazyRegexp
var revision = plain.LazyRegexp(`^[A-Za-z0-9_@][\w./~^@{}+-]{0,200}$`)

// commit returns the hash that a revision stands for, empty when there is no
// such commit.
func (r repo) commit(ctx context.Context, rev string) string {
	if !revision().MatchString(rev) || strings.Contains(rev, "..") {
		return ""
	}
	out, _ := r.run(ctx, "rev-parse", "--verify", "--quiet", rev+"^{commit}") // fails when there is none
	return strings.TrimSpace(out)
}

// nothing is the tree without files, which everything differs from.
func (r repo) nothing(ctx context.Context) (string, error) {
	out, err := r.run(ctx, "hash-object", "-t", "tree", os.DevNull)
	return strings.TrimSpace(out), err
}

// tracked lists the files that git knows and that fit one of the specs.
func (r repo) tracked(ctx context.Context, specs []string) []string {
	out, _ := r.run(ctx, append([]string{"ls-files", "-z", "--"}, specs...)...) // fails for what is outside
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
}

// branch is the name of the branch that is checked out, empty when it is none.
func (r repo) branch(ctx context.Context) string {
	name, _ := r.run(ctx, "symbolic-ref", "--short", "--quiet", "HEAD") // fails when it is none
	return strings.TrimSpace(name)
}

// stamp is a time as git reads it: it takes a date after 2099, and a time before
// 1970, for now.
func stamp(t time.Time) string { return fmt.Sprint("@", max(t.Unix(), 1)) }
