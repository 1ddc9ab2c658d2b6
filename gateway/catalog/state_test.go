package catalog_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// state returns a state whose cycle can be read from each of its parts.
func state(cycle int64) catalog.State {
	s := catalog.State{Format: catalog.StateFormat, Cycle: cycle}
	for i := range 50 {
		s.Tools = append(s.Tools, catalog.Seen{
			Server: "mail", Tool: fmt.Sprintf("tool_%03d", i), Name: fmt.Sprintf("tool_%03d", i), Digest: "sha256:" + strings.Repeat("0",
				64),
			Risk: risk.Critical, Effect: risk.Destructive, ContentTrust: trust.Untrusted, Confirmation: contract.ConfirmationAlways,
			Version: fmt.Sprintf("1.0.%d", cycle),
		})
	}
	return s
}

func TestState_IsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	path := stateFile(t)
	read, err := catalog.ReadState(path)
	require.NoError(t, err)
	assert.Zero(t, read, "a file that does not exist is the first cycle")
	want := state(7)
	require.NoError(t, want.WriteFile(path))
	read, err = catalog.ReadState(path)
	require.NoError(t, err)
	assert.Equal(t, want, read)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	files, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, files, 1, "nothing is left beside it")
}

func TestReadState_AFileThatIsNotWholeIsAnError(t *testing.T) {
	t.Parallel()
	whole, err := json.Marshal(state(3))
	require.NoError(t, err)
	for name, test := range map[string]struct{ text, rule string }{
		"empty":                 {"", "json.syntax"},
		"torn":                  {string(whole[:len(whole)/2]), "json.syntax"},
		"foreign":               {`{"tools":[]}`, "state.format"},
		"another program's":     {`{"name":"x","version":"1"}`, "json.bind"},
		"another format":        {strings.Replace(string(whole), `"format":1`, `"format":2`, 1), "state.format"},
		"without its digest":    {`{"format":1,"cycle":1,"tools":[]}`, "state.digest"},
		"an edited fact":        {strings.Replace(string(whole), `"risk":"critical"`, `"risk":"low"`, 1), "state.digest"},
		"a tool less":           {strings.Replace(string(whole), `"tool_001"`, `"tool_000"`, 1), "state.twice"},
		"a name twice":          {strings.Replace(string(whole), `"name":"tool_001"`, `"name":"TOOL.000"`, 1), "state.twice"},
		"a fact that is gone":   {strings.Replace(string(whole), `"risk":"critical",`, ``, 1), "state.tool"},
		"a member twice":        {strings.Replace(string(whole), `"cycle":3`, `"cycle":3,"cycle":4`, 1), "json.duplicate"},
		"more after it":         {string(whole) + "{}", "json.syntax"},
		"bad UTF-8":             {strings.Replace(string(whole), "mail", "m\xffil", 1), "json.utf8"},
		"a list":                {"[]", "json.bind"},
		"the null of an object": {"null", "state.format"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := stateFile(t)
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			_, err := catalog.New(mail(listing()), catalog.Options{StateFile: path})
			require.NotEmpty(t, catalog.Errors(err))
			found := catalog.Errors(err)[0]
			assert.Equal(t, test.rule, found.Rule)
			assert.NotEmpty(t, found.Remedy)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, test.text, string(after), "the file is not touched")
		})
	}
}

func TestReadState_AFolderIsAnError(t *testing.T) {
	t.Parallel()
	_, err := catalog.ReadState(t.TempDir())
	assert.Equal(t, "state.file", catalog.Errors(err)[0].Rule)
}

func TestState_WritesOverWhatACrashLeftAndFollowsNoLink(t *testing.T) {
	t.Parallel()
	path := stateFile(t)
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.WriteFile(other, []byte("untouched"), 0o600))
	require.NoError(t, os.Symlink(other, path+".new"))
	require.NoError(t, state(1).WriteFile(path))
	text, err := os.ReadFile(other)
	require.NoError(t, err)
	assert.Equal(t, "untouched", string(text))
	require.NoError(t, os.WriteFile(path+".new", []byte("torn"), 0o600))
	require.NoError(t, state(2).WriteFile(path))
	read, err := catalog.ReadState(path)
	require.NoError(t, err)
	assert.Equal(t, int64(2), read.Cycle)
}

// writeStates makes this test binary write states until it is killed, from the
// cycle in the variable on. It prints each cycle once it is written.
const writeStates = "TOOLCONTRACT_TEST_WRITE_STATES"

func TestMain(m *testing.M) {
	if path := os.Getenv(writeStates); path != "" {
		read, err := catalog.ReadState(path)
		for cycle := read.Cycle + 1; err == nil; cycle++ {
			if err = state(cycle).WriteFile(path); err == nil {
				_, err = fmt.Println(cycle)
			}
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestState_KilledAtAnyPointLosesNothing kills a process that writes states, at
// a random time. A state that it has reported as written is never lost, and the
// file is always whole.
func TestState_KilledAtAnyPointLosesNothing(t *testing.T) {
	t.Parallel()
	path := stateFile(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range longtest.Count(t, 8, 100) {
		command := exec.Command(os.Args[0], "-test.run=^$")
		command.Env = append(os.Environ(), writeStates+"="+path)
		var errs bytes.Buffer
		command.Stderr = &errs
		out, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		written := int64(0)
		lines := bufio.NewScanner(out)
		report := func() {
			cycle, err := strconv.ParseInt(lines.Text(), 10, 64)
			require.NoError(t, err)
			written = cycle
		}
		require.True(t, lines.Scan(), "no state was written")
		report()
		killed := time.AfterFunc(time.Duration(random.IntN(5000))*time.Microsecond, func() { _ = command.Process.Kill() })
		for lines.Scan() {
			report()
		}
		_ = command.Wait()
		killed.Stop()
		require.Empty(t, errs.String())
		read, err := catalog.ReadState(path)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, read.Cycle, written, "a written state is lost")
		assert.LessOrEqual(t, read.Cycle, written+1)
		assert.Equal(t, state(read.Cycle), read)
	}
}
