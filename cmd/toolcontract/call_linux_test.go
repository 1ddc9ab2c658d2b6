package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// onScreen runs a command line before a person, and returns a function that
// waits for its status and its result.
func onScreen(t *testing.T, args ...string) (s *screen, end func() (cli.Status, string)) {
	t.Helper()
	s = newScreen(t)
	var stdout strings.Builder
	done := make(chan cli.Status, 1)
	go func() {
		done <- cli.Run(t.Context(), commands(), args, &cli.Terminal{Stdin: s.slave, Stdout: &stdout, Stderr: s.slave})
	}()
	return s, func() (cli.Status, string) { return <-done, stdout.String() }
}

func TestCall_AsksAtTheTerminal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool    string
		answers []string // the text that is shown before each, and the answer
		want    cli.Status
		shown   string
		effects int32
	}{
		"approved": {"notes_delete", []string{"Approve? [y/N]", "y"}, cli.OK, "ok", 1},
		"declined": {"notes_delete", []string{"Approve? [y/N]", ""}, cli.Bad, "confirmation_declined", 0},
		"typed": {"notes_purge", []string{"Three links lead to it.", "", "Type the word to approve", "purge n1"}, cli.OK,
			"the dry run showed", 1},
		"typed nothing": {"notes_purge", []string{"Type the word to approve", ""}, cli.Bad, "confirmation_declined", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := new(notes)
			s, end := onScreen(t, "call", "-header", "Authorization: Bearer anna", n.serveHTTP(t), test.tool, "id=n1")
			for i := 0; i < len(test.answers); i += 2 {
				s.expect(test.answers[i])
				if i+2 == len(test.answers) {
					s.typed(test.answers[i+1])
				}
			}
			status, stdout := end()
			assert.Equal(t, test.want, status)
			assert.Equal(t, test.want == cli.OK, strings.Contains(stdout, `"n1"`), stdout)
			s.expect(test.shown)
			assert.Equal(t, test.effects, n.deleted.Load())
			assert.Contains(t, s.all(), `"id": "n1"`, "the person sees the arguments")
		})
	}
}

func TestCall_FillsInAForm(t *testing.T) {
	t.Parallel()
	s, end := onScreen(t, "call", serveSurvey(t), "survey")
	for _, step := range [][2]string{
		{"nothing but its hints is known", ""},
		{"Approve? [y/N]", "y"},
		{"How many notes?", ""},
		{"2: green", "blue"},
		{"colour: this is not in the list", ""},
		{"2: green", "2"},
		{"Number:", ""},
		{"1: Monday", "tue,3"},
		{"days: this is not in the list", ""},
		{"2: tue", "2, Monday"},
		{"public [false]:", "true"},
		{"/count: is required", ""},
		{"Number:", "none"},
		{"/count: must be an integer", ""},
		{"Number:", "3"},
		{"Send it? [y/N]", "y"},
	} {
		s.expect(step[0])
		if step[1] != "" || step[0] == "Number:" {
			s.typed(step[1])
		}
	}
	status, stdout := end()
	assert.Equal(t, cli.OK, status, s.all())
	for _, text := range []string{"accept", "green", "tue", "mon", "3", "true"} {
		assert.Contains(t, stdout, text)
	}
}

func TestCall_ShowsProgressOnATerminal(t *testing.T) {
	t.Parallel()
	s, end := onScreen(t, "call", "-header", "Authorization: Bearer anna", new(notes).serveHTTP(t), "notes_slow", "id=n1")
	s.expect("2 of 3 notes are read")
	status, _ := end()
	assert.Equal(t, cli.OK, status)
	s.expect("\r\x1b[K")
	s.expect("ok")
}

func TestInit_AsksAtTheTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, end := onScreen(t, "init", "-bare", dir)
	s.expect("Which word")
	s.typed("books")
	s.expect("Path of the module [example.org/books]:")
	s.typed("")
	status, _ := end()
	assert.Equal(t, cli.OK, status, s.all())
	made, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	assert.NoError(t, err)
	assert.Contains(t, string(made), "module example.org/books\n")
}
