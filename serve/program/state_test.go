package program_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/store"
)

// A stateFile is a state that stays in memory, and records its path and its
// end.
type stateFile struct {
	path   string
	closed bool
}

func (f *stateFile) open(path string) (program.State, error) {
	f.path = path
	return f, nil
}

func (f *stateFile) Options() []guard.Option {
	records, err := store.NewMemory()
	if err != nil {
		panic(err)
	}
	return []guard.Option{guard.WithStore(records), guard.WithSealingKeys(make([]byte, 32))}
}

func (f *stateFile) Close() error {
	f.closed = true
	return nil
}

// keeping returns a server over stdio that ends at once.
func keeping(f *stateFile) program.Server {
	s := invoices()
	s.SDK, s.OpenState = &lister{}, f.open
	return s
}

func TestState_OfTheFlagIsOpenedAndClosed(t *testing.T) {
	t.Parallel()
	f := &stateFile{}
	assert.Equal(t, 0, keeping(f).Main([]string{"-state", "x/y.db"}, io.Discard, io.Discard))
	assert.Equal(t, &stateFile{"x/y.db", true}, f)

	f = &stateFile{}
	assert.Equal(t, 0, keeping(f).Main(nil, io.Discard, io.Discard))
	assert.Equal(t, &stateFile{}, f, "without the flag the state is in memory")
}

func TestAudit_MakesItsFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a", "b")
	for _, path := range []string{filepath.Join(folder, "audit.jsonl"), filepath.Join(folder, "c", "logs") + "/"} {
		var stderr strings.Builder
		assert.Equal(t, 0, keeping(&stateFile{}).Main([]string{"-audit", path}, io.Discard, &stderr), stderr.String())
		info, err := os.Stat(filepath.Dir(path))
		require.NoError(t, err)
		assert.True(t, info.IsDir())
	}
	assert.FileExists(t, filepath.Join(folder, "audit.jsonl"))
}

func TestApproval_AddressIsTheLastLineOfTheStart(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	s := keeping(&stateFile{})
	s.OpenBackend = func() (program.Backend, error) {
		return program.Backend{Options: []guard.Option{guard.WithLogger(slog.New(slog.NewTextHandler(&stderr, nil)))}}, nil
	}
	assert.Equal(t, 0, s.Main([]string{"-approval", "-browser=false"}, io.Discard, &stderr), stderr.String())
	all := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	assert.Contains(t, stderr.String(), "level=WARN", "the state is in memory")
	assert.Regexp(t, `^approvals at http://127\.0\.0\.1:\d+/\S*$`, all[len(all)-1])
	assert.Equal(t, 2, strings.Count(stderr.String(), "approvals at "))
}

func TestOperateState_GetsTheStateOfTheServerAndDoesNotServe(t *testing.T) {
	t.Parallel()
	type operated struct {
		server, path string
		args         []string
	}
	for _, tt := range []struct {
		args []string
		want operated
	}{
		{[]string{"-state", "x/y.db", "state", "show", "-json"}, operated{"invoices", "x/y.db", []string{"show", "-json"}}},
		{[]string{"-audit", "log", "-verify-audit", "log", "state"}, operated{"invoices", "", []string{}}},
	} {
		f := &stateFile{}
		s := keeping(f)
		var found operated
		s.OperateState = func(server, path string, args []string, stdout, stderr io.Writer) int {
			found = operated{server, path, args}
			_, _ = io.WriteString(stdout, "shown")
			_, _ = io.WriteString(stderr, "noted")
			return 7
		}
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 7, s.Main(tt.args, &stdout, &stderr))
		assert.Equal(t, tt.want, found)
		assert.Equal(t, "shown", stdout.String())
		assert.Equal(t, "noted", stderr.String())
		assert.Equal(t, &stateFile{}, f, "the state is not opened")
		assert.Nil(t, s.SDK.(*lister).listed)
		assert.Equal(t, 2, s.Main([]string{"show"}, io.Discard, io.Discard), "another word")

		s.OperateState = nil
		assert.Equal(t, 2, s.Main(tt.args, io.Discard, io.Discard))
	}
}

func TestState_ThatCannotCountIsAnErrorAtTheStart(t *testing.T) {
	t.Parallel()
	records, err := store.NewMemory()
	require.NoError(t, err)
	tests := []struct {
		name   string
		change func(*program.Server)
		args   []string
		closed bool
	}{
		{"an empty name", nil, []string{"-state", ""}, false},
		{"a log is checked", nil, []string{"-state", "x", "-verify-audit", "y"}, false},
		{"the author has no opener", func(s *program.Server) { s.OpenState = nil }, []string{"-state", "x"}, false},
		{"it cannot be opened", func(s *program.Server) {
			s.OpenState = func(string) (program.State, error) { return nil, errors.New("gone") }
		}, []string{"-state", "x"}, false},
		{"the backend has a store", func(s *program.Server) {
			s.OpenBackend = func() (program.Backend, error) {
				return program.Backend{Options: []guard.Option{guard.WithStore(records)}}, nil
			}
		}, []string{"-state", "x"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &stateFile{}
			s := keeping(f)
			if tt.change != nil {
				tt.change(&s)
			}
			var stderr bytes.Buffer
			assert.Equal(t, 2, s.Main(tt.args, io.Discard, &stderr))
			assert.NotEmpty(t, stderr.String())
			assert.Equal(t, tt.closed, f.closed)
		})
	}
}

func TestState_ByDefaultIsInTheFolderOfTheUser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folder is another one")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	for xdg, want := range map[string]string{
		"": filepath.Join(home, ".local", "state"), "relative": filepath.Join(home, ".local", "state"),
		filepath.Join(home, "xdg"): filepath.Join(home, "xdg"),
	} {
		t.Setenv("XDG_STATE_HOME", xdg)
		f := &stateFile{}
		s := keeping(f)
		s.DefaultState = true
		assert.Equal(t, 0, s.Main(nil, io.Discard, io.Discard))
		assert.Equal(t, filepath.Join(want, "invoices", "state.db"), f.path)
		assert.Equal(t, 0, s.Main([]string{"-state", "x"}, io.Discard, io.Discard))
		assert.Equal(t, "x", f.path)
		var operated string
		s.OperateState = func(_, path string, _ []string, _, _ io.Writer) int {
			operated = path
			return 0
		}
		assert.Equal(t, 0, s.Main([]string{"state", "show"}, io.Discard, io.Discard))
		assert.Equal(t, filepath.Join(want, "invoices", "state.db"), operated)
	}
}

func TestState_FolderOfEachSystem(t *testing.T) {
	t.Parallel()
	home := func() (string, error) { return "/home/ada", nil }
	homeless := func() (string, error) { return "", errors.New("no home") }
	for _, tt := range []struct {
		name, system string
		variables    map[string]string
		home         func() (string, error)
		want         string // empty: an error
	}{
		{"linux", "linux", nil, home, "/home/ada/.local/state"},
		{"linux with XDG", "linux", map[string]string{"XDG_STATE_HOME": "/var/ada"}, home, "/var/ada"},
		{"linux with a relative XDG", "linux", map[string]string{"XDG_STATE_HOME": "state"}, home, "/home/ada/.local/state"},
		{"linux without a home", "linux", nil, homeless, ""},
		{"freebsd", "freebsd", nil, home, "/home/ada/.local/state"},
		{"macOS", "darwin", map[string]string{"XDG_STATE_HOME": "/var/ada"}, home, "/home/ada/Library/Application Support"},
		{"macOS without a home", "darwin", nil, homeless, ""},
		{"Windows", "windows", map[string]string{"LocalAppData": `C:\Users\ada\AppData\Local`}, home, `C:\Users\ada\AppData\Local`},
		{"Windows without the variable", "windows", nil, home, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && tt.system != runtime.GOOS {
				t.Skip("the paths are those of another system")
			}
			folder, err := program.StateFolder(tt.system, func(name string) string { return tt.variables[name] }, tt.home)
			if tt.want == "" {
				assert.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, folder)
		})
	}
}
