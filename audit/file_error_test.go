package audit_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
)

// ofFile asserts that an error names the file, the operation and a remedy.
func ofFile(t *testing.T, err error, op, path string) {
	t.Helper()
	e, ok := errors.AsType[*audit.FileError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, op, e.Op)
	assert.Equal(t, path, e.Path)
	assert.NotEmpty(t, e.Remedy)
	assert.Contains(t, e.Error(), e.Remedy)
	assert.Contains(t, e.Error(), filepath.Base(path))
}

func TestFileErrorsOfOpeningNameTheFileAndTheRemedy(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	openLog(t, at("locked"))
	require.NoError(t, os.WriteFile(at("broken"), []byte("{}\n{}\n"), 0o600))
	_, err := audit.OpenFile(at("broken"))
	require.ErrorAs(t, err, new(*audit.ChainError))
	ofFile(t, err, "open", at("broken"))
	for path, is := range map[string]error{
		at("locked"):                    audit.ErrLocked,
		folder:                          audit.ErrNotRegular,
		filepath.Join(folder, "a", "b"): fs.ErrNotExist,
	} {
		_, err := audit.OpenFile(path)
		require.ErrorIs(t, err, is)
		ofFile(t, err, "open", path)
	}
}

func TestFileErrorsOfWritingNameTheFileAndTheRemedy(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	sink := openLog(t, path)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	ofFile(t, sink.Write(ended, numbered(audit.Intent, 1)), "write", path)
	if !isWine() {
		require.NoError(t, os.Remove(path))
		ofFile(t, sink.Write(t.Context(), numbered(audit.Intent, 1)), "write", path)
	}
	require.NoError(t, sink.Close())
	err := sink.Write(t.Context(), numbered(audit.Intent, 1))
	require.ErrorIs(t, err, fs.ErrClosed)
	ofFile(t, err, "write", path)
}

func TestFileErrorsOfABrokenDiskNameTheFileAndTheRemedy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &disk{accept: func([]byte) (int, error) { return 0, errFull }}
		sink := startOn(t, d)
		ofFile(t, sink.Write(t.Context(), numbered(audit.Terminal, 1)), "write", "audit.jsonl")
		d.set(func() { d.accept, d.syncErr = nil, errFull })
		ofFile(t, sink.Write(t.Context(), numbered(audit.Intent, 1)), "sync", "audit.jsonl")
		ofFile(t, sink.Close(), "sync", "audit.jsonl")
	})
}

func TestFileError_ReadsAsOneSentence(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "audit.jsonl")
	e := audit.FileError{
		Op: "open", Path: path, Err: &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}, Remedy: "create its folder",
	}
	assert.Equal(t, "audit: open "+strconv.Quote(path)+`: file does not exist; create its folder`, e.Error())
	e = audit.FileError{Op: "open", Path: "log", Err: audit.ErrLocked, Remedy: "stop it"}
	assert.Equal(t, `audit: open "log": another writer has the log; stop it`, e.Error())
}
