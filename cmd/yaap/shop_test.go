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
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	s := shop{dir: dir}
	raw := must.Get(os.ReadFile(filepath.Join(shopFiles, "commits.txt")))(t)
	s.git(t, "init", "-q", "-b", "main")
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
			s.git(t, "checkout", "-q", "-b", branch, "v0.2.0")
		}
		date := must.Get(time.Parse(time.RFC3339, cells[1]))(t)
		s.add(t, fmt.Sprintf("%02d", len(s.hashes)+1), date)
		t.Setenv("GIT_AUTHOR_DATE", cells[1])
		t.Setenv("GIT_COMMITTER_DATE", cells[1])
		first, _, _ := strings.Cut(strings.ToLower(cells[2]), " ")
		s.git(t, "add", "-A")
		s.git(t, "-c", "user.name="+cells[2], "-c", "user.email="+first+"@example.com", "commit", "-qm", cells[3])
		if cells[4] != "" {
			s.git(t, "tag", cells[4])
		}
		s.hashes = append(s.hashes, s.git(t, "rev-parse", "--short", "HEAD"))
	}
	s.git(t, "checkout", "-q", "main")
	s.git(t, "branch", "typos", "HEAD~3")
	s.git(t, "remote", "add", "origin", "https://example.com/shop.git")
	for n := range s.hashes { // a checkout writes them anew
		s.date(t, fmt.Sprintf("%02d", n+1), s.git(t, "log", "-1", "--format=%cI", s.hashes[n]))
	}
	s.add(t, "loose", time.Date(2025, 5, 8, 12, 0, 0, 0, time.UTC))
	s.touch(t, "notes.txt", time.Date(2025, 5, 10, 12, 0, 0, 0, time.UTC))
	s.tickets(t)
	return s
}

func (s shop) git(t testing.TB, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", s.dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
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
