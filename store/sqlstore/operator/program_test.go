package operator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/operator"
)

func run(p operator.Program, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = p.Run(args, &out, &errs)
	return status, out.String(), errs.String()
}

// files returns a program that works on files, and records their paths.
func files(paths *[]string) operator.Program {
	return operator.Program{
		Name: "mail state",
		Inspect: func(_ context.Context, path string) (sqlstore.Summary, error) {
			*paths = append(*paths, path)
			return sqlstore.Summary{Principals: 7}, nil
		},
		Rotate: func(string) error { return nil },
		Backup: func(_ context.Context, path, to string) error {
			*paths = append(*paths, path, to)
			return nil
		},
	}
}

func TestRun_TakesTheStateAsAnArgumentOrHasItsOwn(t *testing.T) {
	t.Parallel()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	path := filepath.Join(folder, "state.db")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	var paths []string
	p := files(&paths)
	show := func(args ...string) {
		t.Helper()
		status, stdout, stderr := run(p, args...)
		require.Zero(t, status, stderr)
		var found struct{ Principals int }
		require.NoError(t, json.Unmarshal([]byte(stdout), &found))
		assert.Equal(t, 7, found.Principals)
	}
	show("show", "-json", path)
	show("show", path, "--json")
	status, _, stderr := run(p, "backup", path, "copy")
	assert.Zero(t, status, stderr)

	p.State = path
	show("show", "-json")
	status, _, stderr = run(p, "backup", "copy")
	assert.Zero(t, status, stderr)
	assert.Equal(t, []string{path, path, path, "copy", path, path, "copy"}, paths)
	for _, args := range [][]string{{"show", path}, {"backup"}, {"backup", path, "copy"}} {
		status, _, stderr := run(p, args...)
		assert.Equal(t, 2, status, args)
		assert.True(t, strings.HasPrefix(stderr, "usage: mail state "+args[0]+" [flags]"), stderr)
		assert.NotContains(t, stderr, "FILE")
	}
}

func TestRun_HelpsAndRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	var paths []string
	for _, state := range []string{"", "state.db"} {
		p := files(&paths)
		p.State = state
		status, list, stderr := run(p, "-h")
		assert.Zero(t, status)
		assert.Empty(t, stderr)
		for _, c := range operator.Commands() {
			assert.Contains(t, list, "  "+c.Name+" ")
			status, stdout, _ := run(p, c.Name, "-h")
			assert.Zero(t, status)
			usage, text, _ := strings.Cut(stdout, "\n")
			assert.Equal(t, state == "", strings.Contains(usage, "FILE"), usage)
			assert.Equal(t, state == "" && strings.HasPrefix(c.Arguments, "FILE|ADDRESS"), strings.Contains(stdout, "ADDRESS is"))
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			c.Flags(flags)
			flags.VisitAll(func(f *flag.Flag) { assert.Contains(t, text, "  -"+f.Name) })
			assert.Equal(t, c.JSON, strings.Contains(text, "  -json"))
		}
	}
	for _, args := range [][]string{nil, {"erase"}, {"show", "-all", "state.db"}, {"show"}} {
		status, stdout, stderr := run(files(&paths), args...)
		assert.Equal(t, 2, status, args)
		assert.Empty(t, stdout)
		assert.True(t, strings.HasPrefix(stderr, "usage: mail state "), stderr)
	}
	assert.Empty(t, paths)
}

func TestRun_WithoutADriverNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	p := operator.Program{Name: "mail state"}
	for argument, want := range map[string]string{"state.db": "no state in a file", "postgres://mail:secret@db/mail": "no driver"} {
		for _, args := range [][]string{{"show", argument}, {"forget", "-audit", t.TempDir() + "/", "-principal", "ada", argument}} {
			status, _, stderr := run(p, args...)
			assert.Equal(t, 2, status)
			assert.Contains(t, stderr, want)
			assert.NotContains(t, stderr, "secret")
		}
	}
}
