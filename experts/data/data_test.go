package data_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/data"
	"github.com/yaap-chat/yaap/experts/expertstest"
)

const sales = `id,Region,product,amount,unit price,sold_on
1,north,apple,10,1.5,2024-01-02
2,north,pear,20,2.0,2024-01-05
3,south,apple,30,1.5,2024-02-01
4,south,plum,40,,2024-02-10
5,west,apple,5,1.25,2024-03-01
6,north,"plum, sour",7,9.99,2024-03-03
`

const people = `[
 {"name": "Ada", "age": 36, "city": "London", "active": true, "tags": ["x"]},
 {"name": "Bob", "age": 51, "city": "Paris", "active": false},
 {"name": "Cyd", "age": null, "city": "London", "active": true, "extra": {"k": 1}}
]`

func database(tb testing.TB, p string, statements ...string) {
	tb.Helper()
	db, err := sql.Open("sqlite", "file:"+p)
	if err != nil {
		tb.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.ExecContext(tb.Context(), s); err != nil {
			tb.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		tb.Fatal(err)
	}
}

func tables(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	expertstest.Write(tb, dir, map[string]string{
		"sales.csv":          sales,
		"people.json":        people,
		"data/scores.tsv":    "player\tscore\nzoe\t3\nyan\t9\n",
		"log.jsonl":          "{\"level\":\"info\",\"ms\":5}\n{\"level\":\"warn\",\"ms\":50}\n{\"level\":\"info\",\"ms\":7}\n",
		"semi.csv":           "\xef\xbb\xbfname;value\na;1\nb;2\n",
		"README.md":          "# not data\n",
		"dir with/odd n.csv": "a,a,\n1,2,3\n",
	})
	database(tb, filepath.Join(dir, "app.db"),
		"CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, region TEXT, joined DATE)",
		"CREATE TABLE orders(id INTEGER PRIMARY KEY, user_id INTEGER, total REAL, note BLOB)",
		"INSERT INTO users VALUES (1,'Ann','north','2024-01-02'),(2,'Ben','south','2024-05-06'),(3,'Cat','north',NULL)",
		"INSERT INTO orders VALUES (1,1,10.5,x'00ff'),(2,1,2,NULL),(3,2,7,NULL)")
	return dir
}

func rows(t *testing.T, r core.Reply) string {
	t.Helper()
	return expertstest.JSON(t, r.Data["rows"])
}

func TestPlainQuestionsAndSQLAreAnswered(t *testing.T) {
	e := data.New(tables(t))
	for _, line := range expertstest.Lines(t, "plain.txt") {
		_, prompt, want := expertstest.Cut(line)
		got := expertstest.Ask(t, e, strings.ReplaceAll(prompt, `\n`, "\n"))
		if got.Status != core.StatusSuccess || !strings.Contains(rows(t, got), want) || got.Thought == "" || got.Message == "" {
			t.Errorf("%s\n%s %s\n%s\n%s", line, got.Status, got.Message, rows(t, got), got.Thought)
		}
	}
}

func TestWhatIsNotUnderstoodIsAskedBack(t *testing.T) {
	e := data.New(tables(t))
	for _, prompt := range []string{"", "?", "what is 12% of 840?", "tell me a joke", "what time is it in Tokyo", "🦜", strings.Repeat("x ", 9000), "how many rows?", "average by planet", "which table", "which player has the highest score and what is its rank"} {
		got := expertstest.Ask(t, e, prompt)
		if got.Status != core.StatusClarification && !strings.HasPrefix(prompt, "which table") {
			t.Errorf("%.30q: %s %s", prompt, got.Status, got.Message)
		}
	}
}

func TestQuestionsWithConditionsAndOrdersAreAnswered(t *testing.T) {
	e := data.New(tables(t))
	for _, line := range expertstest.Lines(t, "answers.txt") {
		_, prompt, want := expertstest.Cut(line)
		if got := expertstest.Ask(t, e, prompt); got.Status != core.StatusSuccess || rows(t, got) != want {
			t.Errorf("%q: %s %s\n%s\nwant %s", prompt, got.Status, got.Message, rows(t, got), want)
		}
	}
}

func TestWhatCannotBeAnsweredIsAskedBackWithWhatCan(t *testing.T) {
	e := data.New(tables(t))
	for _, prompt := range []string{
		"sum of region in sales.csv",
		"release dates in sales.csv",
		"how many rows in sales.csv where amount > abc",
		"average amount in sales.csv and people.json",
		"how many rows in sales.csv and in people.json",
		"which warehouse is the fullest in sales.csv?",
		"average of sales.csv by planet",
	} {
		got := expertstest.Ask(t, e, prompt)
		options, _ := got.Data["options"].([]string)
		if got.Status != core.StatusClarification || len(options) == 0 {
			t.Errorf("%q: %s %s", prompt, got.Status, got.Message)
		}
		for _, option := range options {
			if again := expertstest.Ask(t, e, option); again.Status != core.StatusSuccess {
				t.Errorf("%q offers %q: %s", prompt, option, again.Message)
			}
		}
	}
}

func TestWhatWouldBeGuessedIsAskedBack(t *testing.T) {
	expertstest.Status(t, data.New(tables(t)), core.StatusClarification, "unclear.txt")
}

func TestTheOnlyDataFileIsMeantWhenNoneIsNamed(t *testing.T) {
	dir := t.TempDir()
	expertstest.Write(t, dir, map[string]string{"sales.csv": sales})
	if got := expertstest.Ask(t, data.New(dir), "average amount by region"); !strings.HasPrefix(rows(t, got), `[["south",35]`) {
		t.Errorf("%s %s", got.Status, got.Message)
	}
}

func TestTheHighestOfANumberAreThatMany(t *testing.T) {
	dir := t.TempDir()
	expertstest.Write(t, dir, map[string]string{"sales.csv": "region,amount\nNorth,1\nSouth,5\nEast,3\nWest,2\n"})
	for question, want := range map[string]string{
		"the 3 highest amounts in sales.csv":      `[["South",5],["East",3],["West",2]]`,
		"die 3 höchsten amount in sales.csv":      `[["South",5],["East",3],["West",2]]`,
		"the 2 lowest amounts in sales.csv":       `[["North",1],["West",2]]`,
		"what is the highest amount in sales.csv": `[[5]]`,
	} {
		if got := expertstest.Ask(t, data.New(dir), question); rows(t, got) != want {
			t.Errorf("%q: %s %s, want %s", question, rows(t, got), got.Message, want)
		}
	}
}

func TestTheRowsOfTheOnlyTableAreCountedWithoutItsName(t *testing.T) {
	for rows, text := range map[string]string{"**0**": "a,b\n", "**3**": "region,amount\nNorth,1\nSouth,2\nNorth,3\n"} {
		dir := t.TempDir()
		expertstest.Write(t, dir, map[string]string{"sales.csv": text})
		for _, question := range []string{"how many rows", "how many rows are there?", "wie viele Zeilen gibt es?"} {
			if got := expertstest.Ask(t, data.New(dir), question); !strings.Contains(got.Message, rows) {
				t.Errorf("%q: %s", question, got.Message)
			}
		}
	}
}

func TestWhateverWritesIsRefusedInWords(t *testing.T) {
	dir := tables(t)
	e := data.New(dir)
	before := snapshot(t, dir)
	for _, prompt := range []string{
		"INSERT INTO app.db users VALUES (9,'x','y',NULL)",
		"in app.db: DELETE FROM users",
		"UPDATE app.db users SET name = 'x'",
		"DROP TABLE users",
		"CREATE TABLE t(a)",
		"ALTER TABLE users ADD COLUMN x",
		"ATTACH '/tmp/evil.db' AS e",
		"DETACH main",
		"PRAGMA journal_mode=WAL",
		"PRAGMA writable_schema=1",
		"VACUUM INTO '/tmp/evil.db'",
		"REPLACE INTO users VALUES (1)",
		"BEGIN; DELETE FROM users; COMMIT",
		"SELECT 1; DELETE FROM users",
		"SELECT 1 /* ; */ ; DROP TABLE users",
		"SELECT 1 -- \n; DROP TABLE users",
		"WITH x AS (SELECT 1) INSERT INTO users SELECT 9,'x','y',NULL",
		"WITH x AS (SELECT 1) DELETE FROM users",
		"WITH x AS (SELECT 1) UPDATE users SET name='x'",
		"WITH x AS (SELECT 1) REPLACE INTO users SELECT 1,'x','y',NULL",
		"/* hi */ DELETE FROM users",
		"-- x\nDELETE FROM users",
		"EXPLAIN DELETE FROM users",
		"SELECT load_extension('/tmp/x.so')",
		"SELECT \"load_extension\"('/tmp/x.so')",
		"SELECT writefile('/tmp/evil', 'x')",
		"SELECT readfile('/etc/passwd')",
		"SELECT * FROM pragma_journal_mode('wal')",
		"SELECT * FROM sqlite_dbpage",
		"SELECT 'unclosed",
		"SELECT 1 /* unclosed",
		"SELECT fts3_tokenizer('simple')",
		"```sql\nDROP TABLE users\n```",
		"run: DELETE FROM users",
	} {
		got := expertstest.Ask(t, e, prompt)
		if got.Status == core.StatusSuccess {
			t.Errorf("%q: %s %s", prompt, got.Status, got.Message)
		}
		if !strings.Contains(got.Message, "I only read") {
			t.Errorf("%q: not refused in words: %s", prompt, got.Message)
		}
	}
	if after := snapshot(t, dir); before != after {
		t.Errorf("the directory changed:\n%s\n%s", before, after)
	}
	if _, err := os.Stat("/tmp/evil.db"); err == nil {
		t.Error("a file was written outside")
	}
}

// snapshot tells every file below dir with its bytes and time.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	err := filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		content, err := os.ReadFile(p)
		fmt.Fprintf(&b, "%s %v %d %x\n", p, info.ModTime().UnixNano(), len(content), content[:min(64, len(content))])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestASQLiteFileIsReadWithoutATrace(t *testing.T) {
	dir := t.TempDir()
	database(t, filepath.Join(dir, "wal.db"), "PRAGMA journal_mode=WAL", "CREATE TABLE t(a)", "INSERT INTO t VALUES (1),(2)")
	before := snapshot(t, dir)
	e := data.New(dir)
	for _, prompt := range []string{"tables in wal.db", "how many rows in wal.db", "SELECT sum(a) FROM wal.db t", "describe t in wal.db", "select * from wal.db t order by random()"} {
		if got := expertstest.Ask(t, e, prompt); got.Status != core.StatusSuccess {
			t.Errorf("%q: %s", prompt, got.Message)
		}
	}
	if after := snapshot(t, dir); before != after {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	expertstest.Write(t, dir, map[string]string{"wal.db-wal": "not empty"})
	if got := expertstest.Ask(t, e, "how many rows in wal.db"); !strings.Contains(got.Message, "not seen") {
		t.Errorf("nothing is said of the log: %s", got.Message)
	}
}

func TestBombsAreStoppedInTime(t *testing.T) {
	e := data.New(tables(t))
	for _, prompt := range []string{
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c",
		"SELECT zeroblob(900000000)",
		"SELECT length(randomblob(2000000000))",
		"SELECT printf('%.*c', 900000000, 'x')",
		"SELECT instr(zeroblob(400000), zeroblob(200000) || 'b') FROM sales.csv", // one step of it takes longer than the test waits
		"SELECT replace(hex(zeroblob(400000)), '0', hex(zeroblob(400000)))",
		"SELECT * FROM sales.csv a, sales.csv b, sales.csv c, sales.csv d, sales.csv e, sales.csv f, sales.csv g, sales.csv h, sales.csv i ORDER BY random()",
		"SELECT 1" + strings.Repeat(" UNION SELECT 1", 2000),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		start := time.Now()
		got, err := e.Answer(ctx, experts.Question{Prompt: prompt})
		cancel()
		if err == nil && got.Status == core.StatusSuccess {
			t.Errorf("%.80q: %s", prompt, got.Message)
		}
		if d := time.Since(start); d > 4*time.Second {
			t.Errorf("%.80q took %v", prompt, d)
		}
	}
}

func TestAStatementMayNotTakeAllTheMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("the memory of a process can only be told on Linux")
	}
	got := expertstest.Ask(t, data.New(t.TempDir()), "WITH RECURSIVE c(x, b) AS (SELECT 1, zeroblob(1000000) UNION ALL SELECT x+1, zeroblob(1000000) FROM c), d AS MATERIALIZED (SELECT * FROM c) SELECT count(*) FROM d")
	// On a machine that is busy the time may be over before the memory is.
	if got.Status != core.StatusFailure || !strings.Contains(got.Message, "MiB of memory") && !strings.Contains(got.Message, "took too long") {
		t.Errorf("%s %s", got.Status, got.Message)
	}
}

func TestAnEndlessResultIsCut(t *testing.T) {
	got := expertstest.Ask(t, data.New(t.TempDir()), "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c")
	if got.Status != core.StatusSuccess || got.Data["truncated"] != true || len(got.Data["rows"].([][]any)) != 200 {
		t.Errorf("%s %.200s", got.Status, got.Message)
	}
	if !strings.Contains(got.Message, "showing 200 of") {
		t.Errorf("%.100s", got.Message)
	}
}

func TestACancelledQuestionEndsAtOnce(t *testing.T) {
	e := data.New(tables(t))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer time.AfterFunc(100*time.Millisecond, cancel).Stop() // it would go on for ever
	if got, err := e.Answer(ctx, experts.Question{Prompt: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestNothingLeadsOutOfTheDirectory(t *testing.T) {
	outside := t.TempDir()
	expertstest.Write(t, outside, map[string]string{"secret.csv": "word\nhunter2\n", "in/a.csv": "a\n1\n"})
	database(t, filepath.Join(outside, "secret.db"), "CREATE TABLE s(word)", "INSERT INTO s VALUES ('hunter2')")
	dir := filepath.Join(outside, "in")
	for name, target := range map[string]string{"link.csv": "../secret.csv", "link.db": "../secret.db", "up": ".."} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	must.Fifo(t, filepath.Join(dir, "pipe.csv"))
	must.Fifo(t, filepath.Join(dir, "pipe.db"))
	e := data.New(dir)
	for _, prompt := range []string{
		"show ../secret.csv", "SELECT * FROM ../secret.csv", `SELECT * FROM "../secret.csv"`, "SELECT * FROM link.csv", "first 5 rows of link.csv", "tables in link.db",
		"SELECT * FROM link.db s", "select * from ../secret.db s", "SELECT * FROM up/secret.csv", "show rows of " + outside + "/secret.csv", "SELECT * FROM '" + outside + "/secret.csv'",
		"how many rows in pipe.csv", "tables in pipe.db", "SELECT * FROM pipe.csv", "SELECT * FROM \"file:../secret.db?vfs=unix\"", "show rows of up/secret.csv",
	} {
		got := expertstest.Ask(t, e, prompt)
		if got.Status == core.StatusSuccess || strings.Contains(got.Message+rows(t, got), "hunter2") {
			t.Errorf("%q: %s %s", prompt, got.Status, got.Message)
		}
	}
}

func TestBadFilesAreNamedInWords(t *testing.T) {
	dir := t.TempDir()
	expertstest.Write(t, dir, map[string]string{
		"empty.csv":     "",
		"binary.csv":    "\x00\x01\x02,\x00\n",
		"broken.json":   `[{"a": 1}, {"a":`,
		"scalar.json":   "5",
		"notadb.db":     "this is not a database at all, it is a text of some length",
		"empty.db":      "",
		"quotes.csv":    "a,b\n\"x,1\ny\",2\n\"never closed",
		"deep.json":     strings.Repeat("[", 100_000),
		"nulls.csv":     "a\x01,b\n\xff\xfe,2\n",
		"headonly.csv":  "a,b,c\n",
		"evilname.csv":  "\"a\"\"; DROP TABLE x; --\",b\n1,2\n",
		"codes.csv":     "zip,big\n01234,99999999999999999999\n00042,1\n",
		"manycols.csv":  strings.Repeat("c,", 3000) + "c\n",
		"ragged.csv":    "a,b\n1\n1,2,3\n",
		"dupkeys.json":  `[{"a":1,"A":2,"a":3}]`,
		"mixed.json":    `[1, "x", null, [1], {"value": 2}]`,
		"corrupt.db":    "",
		"weird' \".csv": "a\n1\n",
	})
	database(t, filepath.Join(dir, "good.db"), "CREATE TABLE t(a)", "INSERT INTO t VALUES (1)")
	good, err := os.ReadFile(filepath.Join(dir, "good.db"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 100; i < len(good); i++ {
		good[i] = byte(i * 7)
	}
	expertstest.Write(t, dir, map[string]string{"corrupt.db": string(good)})
	e := data.New(dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		for _, prompt := range []string{"describe " + entry.Name(), "how many rows in " + entry.Name(), "SELECT * FROM \"" + entry.Name() + "\"", "tables in " + entry.Name(), "first 3 rows of " + entry.Name()} {
			got := expertstest.Ask(t, e, prompt)
			rows(t, got)
			if got.Message == "" {
				t.Errorf("%q: no message", prompt)
			}
		}
	}
	for prompt, want := range map[string]string{
		"how many rows in binary.csv":    "binary",
		"how many rows in broken.json":   "cannot be read as a table",
		"tables in notadb.db":            "cannot be read as a SQLite database",
		"how many rows in manycols.csv":  "more than 1000 columns",
		"how many rows in nosuch.csv":    "There is no `nosuch.csv`",
		"SELECT nosuch FROM codes.csv":   "no such column",
		"select min(zip) from codes.csv": "00042",
	} {
		if got := expertstest.Ask(t, e, prompt); !strings.Contains(got.Message, want) {
			t.Errorf("%q: want %q in %s", prompt, want, got.Message)
		}
	}
}

func TestATableOfManyRowsIsCountedAndCut(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("n,text\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "%d,%s\n", i, strings.Repeat("w", 100))
	}
	expertstest.Write(t, dir, map[string]string{"many.csv": b.String()})
	got := expertstest.Ask(t, data.New(dir), "SELECT * FROM many.csv")
	if got.Data["row_count"] != 5000.0 || got.Data["truncated"] != true || !strings.Contains(got.Message, "showing 200 of 5000 rows") {
		t.Errorf("%v %v %.80s", got.Data["row_count"], got.Data["truncated"], got.Message)
	}
}

func TestAMessageShowsEveryRowThatItsDataHas(t *testing.T) {
	dir := t.TempDir()
	expertstest.Write(t, dir, map[string]string{"sales.csv": "region,amount\n" + strings.Repeat("north,12\n", 60)})
	got := expertstest.Ask(t, data.New(dir), "show sales.csv")
	if rows := strings.Count(got.Message, "| north |"); rows != 60 || strings.Contains(got.Message, "showing") {
		t.Errorf("%d rows of 60: %.80s", rows, got.Message)
	}
}

func FuzzAnyPromptGetsALegalReply(f *testing.F) {
	dir := f.TempDir()
	expertstest.Write(f, dir, map[string]string{"a.csv": "n,m\n1,2\n3,4\n"})
	expertstest.Fuzz(f, data.New(dir), math.MaxInt, "SELECT * FROM a.csv", "how many rows in a.csv where", "select", "average n by in a.csv", "WITH", "SELECT [", "top 3 n by n in a.csv", "rows where n between 1 and in a.csv", "'a.csv'", "explain")
}

func TestAShortFollowUpIsAnsweredInTheLanguageOfTheQuestionBefore(t *testing.T) {
	e := data.New(filepath.Join("testdata", "gaertnerei"))
	for _, c := range []struct{ before, text, want string }{
		{"Wie viel Umsatz haben wir im März gemacht?", "Nordhaus", "mit Datum"},
		{"Zeig mir den Umsatz pro Haus", "absteigend", "Summe von"},
		{"¿Cuántos kilos de olivo se han vendido?", "naranjo", "suma de"},
		{"Wie viel Umsatz haben wir im März gemacht?", "and in April?", "sum of"},
	} {
		if got := expertstest.Ask(t, e, c.text, user(c.before)...); !strings.Contains(strings.ToLower(got.Message), strings.ToLower(c.want)) {
			t.Errorf("%s // %s: %s", c.before, c.text, got.Message)
		}
	}
}
