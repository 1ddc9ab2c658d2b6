package corpus_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The protocol versions. Before modern, a client opens a session first.
const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

const (
	overStdio = "stdio"
	overHTTP  = "http"
)

// A script is a file in testdata/scripts. Each command is a line. Lines that
// are indented by two spaces continue the command above them. A line with a
// prefix such as [http] or [2026-07-28] applies to those runs only.
//
//	server NAME FLAGS…     the server; <dir> is a directory for the server, and
//	                       <redis> a Redis, without which the script is skipped
//	on TRANSPORT VERSION   a run; without any, all four
//	log stderr             write the audit log to stderr instead of a file
//	file NAME CONTENT      put a file into <dir>
//	token NAME FORM        get an access token from the issuer of examples/oauth
//	as NAME                send NAME as the bearer token; "as" alone sends none
//	can JSON               declare the client's capabilities
//	list [CURSOR]          send tools/list
//	call TOOL ARGUMENTS    send tools/call; ARGUMENTS is raw JSON, "-" for none
//	  with MEMBERS         add raw members to params
//	  _meta MEMBERS        add raw members to _meta
//	  answer JSON          answer a question with this result
//	  times N              send it N times
//	raw BYTES              send one message as it is
//	  silent               expect no answer
//	  header NAME: VALUE   set a header, over HTTP; empty removes it
//	request METHOD PATH    send one HTTP request
//	  header NAME: VALUE
//	  body BYTES
//	stored [random]        record what has changed in the Redis; with random, mask
//	                       the keys of records too
//
// In a request, \xNN is a byte, and <s*N> is the text s N times. <META> stands
// for the members of _meta that the version needs. A placeholder of the
// recording, such as <state-1>, is the value that it masks, and <~state-1> is
// that value with one character changed.
type script struct {
	name     string
	server   []string
	runs     []run
	logs     string
	commands []command
}

type run struct{ transport, version string }

func (r run) String() string { return r.transport + "-" + r.version }

type command struct {
	runs []string // the prefixes
	verb string
	text string
	more []string
}

// applies reports whether the command is for the run.
func (c command) applies(r run) bool {
	for _, only := range c.runs {
		if only != r.transport && only != r.version {
			return false
		}
	}
	return true
}

// option returns the values of the continuation lines with the verb.
func (c command) option(verb string) []string {
	var found []string
	for _, line := range c.more {
		if v, text, _ := strings.Cut(line, " "); v == verb {
			found = append(found, text)
		}
	}
	return found
}

func (c command) has(verb string) bool { return len(c.option(verb)) > 0 }

var verbs = []string{"file", "token", "as", "can", "list", "call", "raw", "request", "stored"}

func readScripts(t *testing.T) []script {
	t.Helper()
	files, err := filepath.Glob("testdata/scripts/*.txt")
	require.NoError(t, err)
	var all []script
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, parseScript(t, strings.TrimSuffix(filepath.Base(file), ".txt"), string(data)))
	}
	return all
}

func parseScript(t *testing.T, name, text string) script {
	t.Helper()
	s := script{name: name, logs: "file"}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if more, ok := strings.CutPrefix(line, "  "); ok {
			require.NotEmpty(t, s.commands, "%s: %s", name, line)
			last := &s.commands[len(s.commands)-1]
			last.more = append(last.more, more)
			continue
		}
		var c command
		for strings.HasPrefix(line, "[") {
			only, rest, _ := strings.Cut(line[1:], "]")
			c.runs, line = append(c.runs, only), strings.TrimSpace(rest)
		}
		c.verb, c.text, _ = strings.Cut(line, " ")
		switch c.verb {
		case "server":
			s.server = strings.Fields(c.text)
		case "on":
			transport, version, _ := strings.Cut(c.text, " ")
			s.runs = append(s.runs, run{transport, version})
		case "log":
			s.logs = c.text
		default:
			require.True(t, slices.Contains(verbs, c.verb), "%s: unknown command: %s", name, line)
			s.commands = append(s.commands, c)
		}
	}
	require.NotEmpty(t, s.server, name)
	if s.runs == nil {
		for _, transport := range []string{overStdio, overHTTP} {
			for _, version := range []string{legacy, modern} {
				s.runs = append(s.runs, run{transport, version})
			}
		}
	}
	return s
}
