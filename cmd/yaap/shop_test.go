package main

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/must"
)

// shop is a directory that questions are asked about: a repository of three
// authors with a branch that is not merged, tables and a database.
type shop struct {
	dir    string
	hashes []string // of the commits, in the order of commits.txt
}

const shopFiles = "testdata/questions/shop"

// newShop makes the shop. It is the same in every run, to the commits' hashes.
func newShop(t testing.TB) shop {
	t.Helper()
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	s := shop{dir: dir}
	raw := must.Get(os.ReadFile(filepath.Join(shopFiles, "commits.txt")))(t)
	runGit(t, dir, "init", "-q", "-b", "main")
	branch := "main"
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var cells [5]string
		for i, cell := range strings.SplitN(line, "|", len(cells)) {
			cells[i] = strings.TrimSpace(cell)
		}
		if cells[0] != branch {
			branch = cells[0]
			runGit(t, dir, "checkout", "-q", "-b", branch, "v0.2.0")
		}
		date := must.Get(time.Parse(time.RFC3339, cells[1]))(t)
		s.add(t, fmt.Sprintf("%02d", len(s.hashes)+1), date)
		commit(t, dir, cells[2], cells[1], cells[3])
		if cells[4] != "" {
			runGit(t, dir, "tag", cells[4])
		}
		s.hashes = append(s.hashes, runGit(t, dir, "rev-parse", "--short", "HEAD"))
	}
	runGit(t, dir, "checkout", "-q", "main")
	runGit(t, dir, "branch", "typos", "HEAD~3")
	runGit(t, dir, "remote", "add", "origin", "https://example.com/shop.git")
	for n := range s.hashes { // a checkout writes them anew
		s.date(t, fmt.Sprintf("%02d", n+1), runGit(t, dir, "log", "-1", "--format=%cI", s.hashes[n]))
	}
	s.add(t, "loose", time.Date(2025, 5, 8, 12, 0, 0, 0, time.UTC))
	s.touch(t, "notes.txt", time.Date(2025, 5, 10, 12, 0, 0, 0, time.UTC))
	s.tickets(t)
	return s
}

// runGit runs git in a directory, whatever the configuration of the machine says.
func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return gitWith(t, dir, nil, args...)
}

func gitWith(t testing.TB, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits all that has changed, as somebody and at a time.
func commit(t testing.TB, dir, who, when, subject string) {
	t.Helper()
	var env []string
	first, _, _ := strings.Cut(strings.ToLower(who), " ")
	for _, role := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+role+"_NAME="+who, "GIT_"+role+"_EMAIL="+first+"@example.com", "GIT_"+role+"_DATE="+when)
	}
	runGit(t, dir, "add", "-A")
	gitWith(t, dir, env, "commit", "-qm", subject)
}

// add copies the files of a folder into the shop.
func (s shop) add(t testing.TB, folder string, date time.Time) {
	t.Helper()
	from := filepath.Join(shopFiles, folder)
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		to := filepath.Join(s.dir, strings.TrimPrefix(path, from))
		raw, err := os.ReadFile(path)
		return errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, raw, 0o600), os.Chtimes(to, date, date))
	})
	must.Do(t, err)
}

// date gives the files of a folder that are in the shop the time of their commit.
func (s shop) date(t testing.TB, folder, stamp string) {
	t.Helper()
	date := must.Get(time.Parse(time.RFC3339, stamp))(t)
	from := filepath.Join(shopFiles, folder)
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		s.touch(t, strings.TrimPrefix(path, from), date)
		return nil
	})
	must.Do(t, err)
}

// touch gives a file a time, unless it is on another branch.
func (s shop) touch(t testing.TB, name string, date time.Time) {
	t.Helper()
	if err := os.Chtimes(filepath.Join(s.dir, name), date, date); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// tickets makes a database.
func (s shop) tickets(t testing.TB) {
	t.Helper()
	path := filepath.Join(s.dir, "tickets.db")
	db, err := sql.Open("sqlite", path)
	must.Do(t, err)
	_, err = db.ExecContext(t.Context(), `CREATE TABLE tickets (id INTEGER, title TEXT, state TEXT, points INTEGER);
		INSERT INTO tickets VALUES (1,'login fails','open',5), (2,'slow search','closed',8), (3,'wrong total','open',3),
		(4,'dark mode','open',2), (5,'export csv','closed',13)`)
	must.Do(t, errors.Join(err, db.Close()))
	s.touch(t, "tickets.db", time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
}
