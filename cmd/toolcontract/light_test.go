package main

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// People run the command by go run, so what it links is what they wait for.
func TestCommand_LinksNoMoreThanItNeeds(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the build list is the same there, and the tests for it run without Go")
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	out, err := list.Output()
	require.NoError(t, err)
	modules := slices.Compact(slices.Sorted(strings.FieldsSeq(string(out))))
	require.Contains(t, modules, "github.com/toolcontract/toolcontract/store/sqlstore")
	for _, module := range modules {
		for _, driver := range []string{"modernc.org/", "github.com/jackc/", "github.com/toolcontract/toolcontract/store/sqlitefile"} {
			assert.False(t, strings.HasPrefix(module, driver), module)
		}
	}
	out, err = exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	packages := strings.Fields(string(out))
	require.Contains(t, packages, "go/parser")
	for _, one := range []string{"text/template", "github.com/toolcontract/toolcontract/adapter"} {
		assert.False(t, slices.Contains(packages, one), one)
	}
}

func TestStateSchema_MatchesTheStore(t *testing.T) {
	t.Parallel()
	for _, d := range []sqlstore.Dialect{sqlstore.SQLite, sqlstore.Postgres} {
		status, stdout, _ := runCommand(t, "state", "schema", d.String())
		assert.Equal(t, cli.OK, status)
		assert.Equal(t, sqlstore.Schema(d), stdout)
	}
	status, _, stderr := runCommand(t, "state", "schema", "oracle")
	assert.Equal(t, cli.Failed, status)
	assert.Contains(t, stderr, "postgres")
}
