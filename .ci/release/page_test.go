package main

import (
	"slices"
	"testing"
)

func TestSteps_ReadAPageAsItsReaderDoes(t *testing.T) {
	page := "# A page\n\nIn an empty folder:\n\n```sh\ngo mod init example.org/calc\n```\n\n" +
		"Write this to `main.go`:\n\n<!-- from examples/smallest/main.go -->\n```go\npackage main\n```\n\n" +
		"A block that shows something:\n\n```text\nnothing\n```\n\n" +
		"Replace `sub/main.go`\nin its folder:\n\n```go\npackage sub\n```\n\n" +
		"```sh\ngo run .\ngo test ./...\n```\n\nIt prints:\n\n```text\nok\n```\n"
	got, err := steps(page)
	if err != nil {
		t.Fatal(err)
	}
	want := []step{
		{line: 5, run: []string{"go mod init example.org/calc"}},
		{line: 12, write: "main.go", text: "package main\n"},
		{line: 25, write: "sub/main.go", text: "package sub\n"},
		{line: 29, run: []string{"go run .", "go test ./..."}},
		{line: 36, prints: []string{"ok"}},
	}
	if len(got) != len(want) {
		t.Fatalf("%d steps, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		g := got[i]
		if g.line != w.line || g.write != w.write || !slices.Equal(g.run, w.run) || !slices.Equal(g.prints, w.prints) ||
			w.text != "" && g.text != w.text {
			t.Errorf("step %d: got %+v, want %+v", i, g, w)
		}
	}
}

func TestSteps_RefuseAPageWithoutAnyAndAnOpenBlock(t *testing.T) {
	for _, page := range []string{"# A page\n", "```sh\ngo run .\n"} {
		if got, err := steps(page); err == nil {
			t.Errorf("%q: %+v", page, got)
		}
	}
}
