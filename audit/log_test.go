package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
)

// numbered returns a small event.
func numbered(kind audit.Kind, n int) audit.Event {
	return audit.Event{Time: fullEvent().Time, Kind: kind, CallID: fmt.Sprintf("c%d", n), Tool: "notes.keep"}
}

func allKinds() []audit.Kind {
	return []audit.Kind{audit.Intent, audit.Asked, audit.Terminal, audit.Late}
}

// logPath returns the path of a log that does not exist.
func logPath(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "audit.jsonl")
}

// openLog opens a log, which is closed at the end of the test at the latest.
func openLog(t testing.TB, path string) *audit.FileSink {
	t.Helper()
	sink, err := audit.OpenFile(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = sink.Close() })
	return sink
}

// writeLog appends events with the numbers from, … to-1 to a log, and returns
// its head.
func writeLog(t testing.TB, path string, from, to int) string {
	t.Helper()
	sink := openLog(t, path)
	for n := from; n < to; n++ {
		require.NoError(t, sink.Write(t.Context(), numbered(audit.Terminal, n)))
	}
	require.NoError(t, sink.Close())
	return sink.Head()
}

// sampleLog returns the bytes of a log of n records and its head.
func sampleLog(t testing.TB, n int) ([]byte, string) {
	t.Helper()
	path := logPath(t)
	head := writeLog(t, path, 0, n)
	return readLog(t, path), head
}

// tornLog returns a log of four records with a torn line, the third, and its
// head.
func tornLog(t testing.TB) ([]byte, string) {
	t.Helper()
	path := logPath(t)
	writeLog(t, path, 0, 3)
	data := readLog(t, path)
	require.NoError(t, os.WriteFile(path, data[:len(data)-90], 0o600))
	head := writeLog(t, path, 3, 5)
	return readLog(t, path), head
}

func readLog(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

// verifyFile verifies a log that must be whole.
func verifyFile(t testing.TB, path, head string) audit.Verification {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	report, err := audit.Verify(file, head)
	require.NoError(t, err)
	return report
}

// requireBroken checks that a log is broken at a line.
func requireBroken(t testing.TB, log []byte, head string, line int, fault string) audit.Verification {
	t.Helper()
	report, err := audit.Verify(bytes.NewReader(log), head)
	var broken *audit.ChainError
	require.ErrorAs(t, err, &broken)
	assert.Equal(t, audit.ChainError{Line: line, Fault: fault}, *broken)
	return report
}

// logged is a line of a log.
type logged struct {
	audit.Event
	Prev, Hash string
}

func (l *logged) UnmarshalJSON(data []byte) error {
	var seal struct{ Prev, Hash string }
	if err := json.Unmarshal(data, &seal); err != nil {
		return err
	}
	l.Prev, l.Hash = seal.Prev, seal.Hash
	return l.Event.UnmarshalJSON(data)
}

// records reads the records of a log without its torn lines.
func records(data []byte) []logged {
	var all []logged
	for line := range strings.Lines(string(data)) {
		var record logged
		if json.Unmarshal([]byte(line), &record) == nil {
			all = append(all, record)
		}
	}
	return all
}

// callIDs returns the call ids of the records of a log.
func callIDs(data []byte) []string {
	var ids []string
	for line := range bytes.Lines(data) {
		var record struct{ CallID string }
		if json.Unmarshal(line, &record) == nil {
			ids = append(ids, record.CallID)
		}
	}
	return ids
}
