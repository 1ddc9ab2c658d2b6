package main

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestSteps_ReadAPageAsItsReaderDoes(t *testing.T) {
	page := "# A page\n\nIn an empty folder:\n\n```sh\ngo mod init example.org/calc\n```\n\n" +
		"Write this to `main.go`:\n\n<!-- from examples/smallest/main.go -->\n```go\npackage main\n```\n\n" +
		"A block that shows something:\n\n<!-- from examples/a.txt -->\n```text\nnothing\n```\n\n" +
		"Replace `sub/main.go`\nin its folder:\n\n```go\npackage sub\n```\n\n" +
		"```sh\ngo run .\ngo test \\\n  ./...\n```\n\nIt prints:\n\n```text\nok\n```\n\n" +
		"With a Redis:\n\n<!-- not followed: it needs a Redis -->\n```sh\nredis-cli\n```\n\n" +
		"Start it:\n\n```sh\nserve\n```\n\nIn another\nterminal:\n\n```sh\ncall\n```\n"
	got, err := steps(page)
	if err != nil {
		t.Fatal(err)
	}
	want := []step{
		{line: 5, run: []string{"go mod init example.org/calc"}, empty: true},
		{line: 12, write: "main.go"},
		{line: 19, shown: true},
		{line: 26, write: "sub/main.go"},
		{line: 30, run: []string{"go run .", "go test   ./..."}},
		{line: 38, prints: []string{"ok"}},
		{line: 45, skipped: "it needs a Redis"},
		{line: 51, run: []string{"serve"}},
		{line: 58, run: []string{"call"}, beside: true},
	}
	if len(got) != len(want) {
		t.Fatalf("%d steps, want %d: %+v", len(got), len(want), got)
	}
	if got[1].text != "package main\n" {
		t.Errorf("the text of main.go is %q", got[1].text)
	}
	for i, g := range got {
		g.text = ""
		if !reflect.DeepEqual(g, want[i]) {
			t.Errorf("step %d: got %+v, want %+v", i, g, want[i])
		}
	}
}

func TestSteps_RefuseABlockThatIsNothing(t *testing.T) {
	for name, page := range map[string]string{
		"open":              "```sh\ngo run .\n",
		"without an origin": "It shows:\n\n```go\npackage main\n```\n",
		"without a reason":  "<!-- not followed: -->\n```text\nnothing\n```\n",
		"beside nothing":    "In another terminal:\n\n```sh\ncall\n```\n",
	} {
		if got, err := steps(page); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestFollow_DoesTheStepsOfAPage(t *testing.T) {
	page := "In an empty folder:\n\n```sh\nexport NAME=notes\nmkdir sub\ncd sub\n```\n\n" +
		"Write this to `a/b.txt`:\n\n```text\nwritten\n```\n\n" +
		"```sh\ncat a/b.txt; echo $NAME; basename $PWD\n```\n\nIt prints:\n\n```text\nwritten\nn…s\nsub\n```\n\n" +
		"A server:\n\n```sh\nsleep 1; touch up; sleep 600\n```\n\n" +
		"In another terminal:\n\n```sh\nls up\n```\n\n" +
		"Write this to `.github/workflows/test.yml`:\n\n```yaml\nsteps:\n  - run: touch $CI-$(basename $PWD)\n```\n\n" +
		"Only shown:\n\n<!-- from x.go -->\n```go\nx\n```\n\n<!-- run by another check -->\n```sh\nfalse\n```\n"
	sh := following(t)
	done, err := sh.follow("page.md", parsed(t, page))
	if err != nil {
		t.Fatal(err)
	}
	if want := (tally{files: 2, commands: 6, outputs: 1, shown: 1, skipped: 1}); done != want {
		t.Errorf("%v, want %v", done, want)
	}
	if _, err := os.Stat(filepath.Join(sh.dir+"-ci", "true-sub-ci")); err != nil {
		t.Error(err)
	}
}

func TestFollow_TakesAFreePort(t *testing.T) {
	page := "```sh\ntest 127.0.0.1:8080 != 127.0.0.1:80''80\necho http://127.0.0.1:8080/mcp\n```\n\n" +
		"It prints:\n\n```text\nhttp://127.0.0.1:8080/mcp\n```\n"
	if _, err := following(t).follow("page.md", parsed(t, page)); err != nil {
		t.Error(err)
	}
}

func TestFollow_FailsAsItsReaderWould(t *testing.T) {
	for name, page := range map[string]string{
		"page.md:1: false":             "```sh\nfalse\n```\n",
		`does not print "later"`:       "```sh\necho now\n```\n\nIt prints:\n\n```text\nlater\n```\n",
		"it ended:\nbroken":            "```sh\necho broken; exit 1\n```\n\nIn another terminal:\n\n```sh\nfalse\n```\n",
		"page.md:3: the workflow runs": "Write this to `.github/workflows/a.yml`:\n\n```yaml\n```\n",
		"page.md:3: false":             "Write this to `.github/workflows/a.yml`:\n\n```yaml\n- run: false\n```\n",
	} {
		if _, err := following(t).follow("page.md", parsed(t, page)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

func following(t *testing.T) *shell {
	return &shell{user: &user{env: os.Environ(), log: io.Discard}, dir: filepath.Join(t.TempDir(), "page")}
}

func parsed(t *testing.T, page string) []step {
	t.Helper()
	all, err := steps(page)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
