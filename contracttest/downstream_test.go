package contracttest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/longtest"
)

// A downstream is another module that requires this one and has the test from
// the manual. It is built offline, from this test's module cache.
type downstream struct {
	t   *testing.T
	dir string
}

func newDownstream(t *testing.T) downstream {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	d := downstream{t: t, dir: t.TempDir()}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	d.write("go.sum", string(sums))
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	_, requirements, found := strings.Cut(string(module), "\n")
	require.True(t, found)
	d.write("go.mod", "module example.org/notes\n"+requirements+
		"\nrequire github.com/toolcontract/toolcontract v0.0.0\n\nreplace github.com/toolcontract/toolcontract => "+root+"\n")

	page, err := os.ReadFile(filepath.Join(root, "docs", "testing.md"))
	require.NoError(t, err)
	snippet := regexp.MustCompile("(?s)<!-- from examples/confirmed/contracts_test.go -->\n```go\n(.*?)```").FindSubmatch(page)
	require.NotNil(t, snippet, "the page shows the test")
	d.write("contracts_test.go", `package notes

import (
	"testing"

	"github.com/toolcontract/toolcontract/contracttest"
)

`+string(snippet[1]))
	return d
}

func (d downstream) write(name, text string) {
	d.t.Helper()
	require.NoError(d.t, os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600))
}

// noteServer is the module's server. Tests replace parts of it, as its author
// would.
const noteServer = `package notes

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
)

type input struct {
	_    contract.Tags ¬name:"notes.read" version:"1.0.0" title:"Read" description:"Reads a note." effect:"read-only"¬
	_    contract.Tags ¬trust:"trusted" permissions:"notes:read,notes:secret"¬
	Note string ¬json:"note" jsonschema:"description=Which one."¬
}

type output struct {
	Text string ¬json:"text"¬
}

func read(context.Context, input) (output, error) { return output{}, nil }

var Delete = contract.New("", read).MustBuild()
`

// test runs go test on the server after making the replacements, which are
// pairs of old and new text. It returns the output and whether the test passed.
func (d downstream) test(update bool, replacements ...string) (output string, passed bool) {
	d.t.Helper()
	server := noteServer
	for i := 0; i < len(replacements); i += 2 {
		require.Contains(d.t, server, replacements[i])
		server = strings.ReplaceAll(server, replacements[i], replacements[i+1])
	}
	d.write("server.go", strings.ReplaceAll(server, "¬", "`"))
	run := exec.CommandContext(d.t.Context(), "go", "test", "-vet=off", "-count=1", ".")
	run.Dir = d.dir
	run.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", updateEnv+"="+map[bool]string{true: "1", false: "0"}[update])
	text, err := run.CombinedOutput()
	if err != nil {
		var exit *exec.ExitError
		require.ErrorAs(d.t, err, &exit, "go test could not be run")
	}
	return string(text), err == nil
}

func (d downstream) passes(update bool, replacements ...string) {
	d.t.Helper()
	output, passed := d.test(update, replacements...)
	require.True(d.t, passed, output)
}

func (d downstream) fails(update bool, says string, replacements ...string) {
	d.t.Helper()
	output, passed := d.test(update, replacements...)
	require.False(d.t, passed, output)
	assert.Contains(d.t, output, says)
}

func TestDownstream_TheTestOfTheManualFailsForUnrecordedChanges(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	withoutPermission := []string{",notes:secret", "", "1.0.0", "1.1.0"}
	newRequired := []string{"\tNote string", "\tBook string ¬json:\"book\" jsonschema:\"description=Of which " +
		"book.\"¬\n\tNote string", "1.0.0", "1.1.0"}
	newOptional := []string{"\tNote string", "\tBook string ¬json:\"book,omitempty\" jsonschema:\"description=Of which " +
		"book.\"¬\n\tNote string", "1.0.0", "1.1.0"}
	const tooLow = "raise the version from 1.0.0 to at least 2.0.0"

	d := newDownstream(t)
	d.passes(true)
	d.fails(false, "[permission.removed]", withoutPermission...)
	d.fails(true, tooLow, newRequired...)
	d.passes(false)
	d.fails(true, "write the reason", withoutPermission...)
	d.fails(false, tooLow, newRequired...)
	d.fails(false, "[tag.key]", "permissions:", "permisions:")
	d.fails(false, "record it", newOptional...)
	d.passes(true, newOptional...)
	d.passes(false, newOptional...)
}
