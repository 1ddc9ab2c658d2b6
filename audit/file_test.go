package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/risk"
)

func TestFileWritesTheEventAndItsSeal(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	sink := openLog(t, path)
	assert.Equal(t, audit.Genesis, sink.Head())
	require.NoError(t, sink.Write(t.Context(), fullEvent()))
	require.NoError(t, sink.Write(t.Context(), hostileEvent()))
	require.NoError(t, sink.Close())

	prev := audit.Genesis
	lines := slices.Collect(strings.Lines(string(readLog(t, path))))
	require.Len(t, lines, 2)
	for i, event := range []audit.Event{fullEvent(), hostileEvent()} {
		bare, err := json.Marshal(event)
		require.NoError(t, err)
		want := reseal(string(bare[:len(bare)-1]) + `,"prev":"` + prev + `","hash":"`)
		assert.Equal(t, want, lines[i])
		prev = records([]byte(lines[i]))[0].Hash
	}
	assert.Equal(t, prev, sink.Head())
}

func TestFileContinuesTheChainOfAnExistingLog(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	head := audit.Genesis
	for n := range 4 {
		sink := openLog(t, path)
		assert.Equal(t, head, sink.Head())
		require.NoError(t, sink.Close())
		head = writeLog(t, path, n, n+1)
	}
	assert.Equal(t, 4, verifyFile(t, path, head).Records)
}

// earlierLog was written before events had effect and auditOnly.
const earlierLog = `{"time":"2026-11-21T01:40:00Z","event":"intent","callId":"c1","tool":"emails.send_external",` +
	`"risk":"critical",` +
	`"principal":"bob","agent":false,"prev":"0000000000000000000000000000000000000000000000000000000000000000",` +
	`"hash":"38318b0800260e0049f8667880603470ad4c8749775be249401b4f405e3412b9"}` + "\n" +
	`{"time":"2026-11-21T01:40:00Z","event":"terminal","callId":"c1","tool":"emails.send_external","risk":"critical",` +
	`"principal":"bob","agent":false,"durationMs":0,"prev":"38318b0800260e0049f8667880603470ad4c8749775be249401b4f405e3412b9",` +
	`"hash":"7ecaf71c169705b8b1e705f5dbcff47006e1340da6e5fbabe7feb11b0bdaf980"}` + "\n"

func TestFileContinuesALogOfEventsWithFewerMembers(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	require.NoError(t, os.WriteFile(path, []byte(earlierLog), 0o600))
	sink := openLog(t, path)
	require.NoError(t, sink.Write(t.Context(), fullEvent()))
	require.NoError(t, sink.Close())

	assert.Equal(t, 3, verifyFile(t, path, sink.Head()).Records)
	log := readLog(t, path)
	assert.True(t, strings.HasPrefix(string(log), earlierLog))
	all := records(log)
	require.Len(t, all, 3)
	assert.Equal(t, audit.Event{
		Time: time.Date(2026, 11, 21, 1, 40, 0, 0, time.UTC), Kind: audit.Intent, CallID: "c1",
		Tool: "emails.send_external", Risk: risk.Critical, Principal: "bob",
	}, all[0].Event)
	assert.Equal(t, []string{"permissions", "rateLimit"}, all[2].AuditOnly)
	assert.Equal(t, risk.ExternalPublication, all[2].Effect)
}

func TestFileContinuesALogThatWasCutAnywhere(t *testing.T) {
	t.Parallel()
	log, _ := sampleLog(t, 1)
	for cut := range len(log) + 1 {
		if cut%longtest.Count(t, 4, 1) != 0 && cut < len(log)-4 {
			continue
		}
		path := logPath(t)
		require.NoError(t, os.WriteFile(path, log[:cut], 0o600))
		report := verifyFile(t, path, writeLog(t, path, 7, 8))
		assert.True(t, bytes.HasPrefix(readLog(t, path), log[:cut]), "no byte of it is lost")
		want := []string{"c7"}
		if cut >= len(log)-1 { // only its line break is missing
			want = []string{"c0", "c7"}
		}
		assert.Equal(t, want, callIDs(readLog(t, path)), "cut at %d", cut)
		assert.Equal(t, cut > 0 && len(want) == 1, report.Torn == 1, "cut at %d", cut)
		assert.False(t, report.TornTail)
	}
}

func TestFileContinuesALogThatWasTornRepeatedly(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	writeLog(t, path, 0, 1)
	for n := 1; n < 5; n++ {
		whole := len(readLog(t, path))
		writeLog(t, path, n, n+1)
		log := readLog(t, path)
		require.NoError(t, os.WriteFile(path, log[:whole+1+40*n], 0o600))
	}
	head := writeLog(t, path, 5, 6)
	report := verifyFile(t, path, head)
	assert.Equal(t, 2, report.Records)
	assert.Equal(t, 4, report.Torn)
	assert.Equal(t, 2, report.FirstTorn)
}

// longLog returns a log that is so long that OpenFile reads only its end.
func longLog(t *testing.T) []byte {
	t.Helper()
	path := logPath(t)
	sink := openLog(t, path)
	event := numbered(audit.Terminal, 1)
	event.Error = strings.Repeat("x", 60_000)
	for range 20 {
		require.NoError(t, sink.Write(t.Context(), event))
	}
	require.NoError(t, sink.Close())
	return readLog(t, path)
}

func TestFileDoesNotContinueABrokenLog(t *testing.T) {
	t.Parallel()
	short, _ := sampleLog(t, 4)
	long := longLog(t)
	changed := func(log []byte, at int) []byte {
		log = bytes.Clone(log)
		log[at]++
		return log
	}
	tests := []struct {
		name string
		log  []byte
		want audit.ChainError
	}{
		{"some other text", []byte("hello\n"), audit.ChainError{Line: 1, Fault: "malformed"}},
		{"some other JSON", []byte("{}\n"), audit.ChainError{Line: 1, Fault: "malformed"}},
		{"the first record is missing", short[bytes.IndexByte(short, '\n')+1:], audit.ChainError{Line: 1, Fault: "missing"}},
		{
			"the last record was changed", changed(short, bytes.LastIndex(short, []byte("notes.keep"))),
			audit.ChainError{Line: 4, Fault: "changed"},
		},
		{"the last line break was changed", changed(short, len(short)-1), audit.ChainError{Line: 4, Fault: "malformed"}},
		{"the end of a long log was changed", changed(long, len(long)-2000), audit.ChainError{Fault: "changed"}},
		{"the end of a long log is zeros", append(bytes.Clone(long), make([]byte, 5000)...), audit.ChainError{Fault: "malformed"}},
		{
			"the end of a long log has no lines", append(bytes.Clone(long), bytes.Repeat([]byte("x"), 3<<20)...),
			audit.ChainError{Line: 21, Fault: "malformed"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := logPath(t)
			require.NoError(t, os.WriteFile(path, tt.log, 0o600))
			sink, err := audit.OpenFile(path)
			assert.Nil(t, sink)
			var broken *audit.ChainError
			require.ErrorAs(t, err, &broken)
			assert.Equal(t, tt.want, *broken)
			assert.Equal(t, tt.log, readLog(t, path), "the evidence stays as it is")

			require.NoError(t, os.Rename(path, path+".1"))
			assert.NoError(t, openLog(t, path).Close(), "the lock was given up")
		})
	}
}

func TestFileReadsOnlyTheEndOfALongLog(t *testing.T) {
	t.Parallel()
	log := longLog(t)
	path := logPath(t)
	log[500]++
	require.NoError(t, os.WriteFile(path, log[:len(log)-100], 0o600))
	writeLog(t, path, 1, 3)
	requireBroken(t, readLog(t, path), "", 1, "changed")

	log[500]--
	require.NoError(t, os.WriteFile(path, log[:len(log)-100], 0o600))
	head := writeLog(t, path, 1, 3)
	assert.Equal(t, 21, verifyFile(t, path, head).Records)
	assert.Equal(t, 1, verifyFile(t, path, head).Torn)
}

func TestFileOpensOnlyAPrivateRegularFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	_, err := audit.OpenFile(folder)
	assert.ErrorIs(t, err, audit.ErrNotRegular)
	_, err = audit.OpenFile(filepath.Join(folder, "missing", "audit.jsonl"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = audit.OpenFile("")
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestFileHasOneWriterAtATime(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	first := openLog(t, path)
	second, err := audit.OpenFile(path)
	assert.ErrorIs(t, err, audit.ErrLocked)
	assert.Nil(t, second)
	require.NoError(t, first.Write(t.Context(), numbered(audit.Intent, 1)), "the first is not disturbed")
	require.NoError(t, first.Close())
	assert.Equal(t, 2, verifyFile(t, path, writeLog(t, path, 2, 3)).Records)
}

func TestFileWritesNothingOfAnInvalidEvent(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	sink := openLog(t, path)
	assert.Error(t, sink.Write(t.Context(), audit.Event{}))
	long := numbered(audit.Intent, 1)
	long.Error = strings.Repeat("x", audit.MaxRecord)
	assert.ErrorIs(t, sink.Write(t.Context(), long), audit.ErrTooLong)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, sink.Write(ended, numbered(audit.Intent, 1)), context.Canceled)
	require.NoError(t, sink.Close())
	assert.Empty(t, readLog(t, path))
}

func TestFileWritesARecordOfTheMaximalLength(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	event := numbered(audit.Terminal, 1)
	event.Error = "x"
	log := func() int {
		sink := openLog(t, path)
		require.NoError(t, sink.Write(t.Context(), event))
		require.NoError(t, sink.Close())
		return len(readLog(t, path))
	}
	event.Error = strings.Repeat("x", 1+audit.MaxRecord-log())
	before := len(readLog(t, path))
	assert.Equal(t, before+audit.MaxRecord, log())
	assert.Equal(t, 2, verifyFile(t, path, "").Records)

	event.Error += "x"
	assert.ErrorIs(t, openLog(t, path).Write(t.Context(), event), audit.ErrTooLong)
}

func TestFileRefusesEventsAfterClose(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	sink := openLog(t, path)
	require.NoError(t, sink.Write(t.Context(), numbered(audit.Terminal, 1)))
	require.NoError(t, sink.Close())
	assert.ErrorIs(t, sink.Write(t.Context(), numbered(audit.Terminal, 2)), fs.ErrClosed)
	assert.NoError(t, sink.Close(), "a further Close returns the same")
	assert.Equal(t, []string{"c1"}, callIDs(readLog(t, path)))
}

func TestFileDetectsChangesByOtherWriters(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		do           func(path string) error
		write, clean bool
	}{
		{"it was cut", func(path string) error { return os.Truncate(path, 0) }, true, false},
		{"a byte was added", func(path string) error {
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer file.Close()
			_, err = file.WriteString("x")
			return err
		}, true, false},
		{"it was deleted", os.Remove, false, false},
		{"it was renamed, and is written on", func(path string) error { return os.Rename(path, path+".1") }, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := logPath(t)
			sink := openLog(t, path)
			require.NoError(t, sink.Write(t.Context(), numbered(audit.Intent, 1)))
			if isWine() && tt.name == "it was deleted" {
				t.Skip("wine tells nobody")
			}
			err := tt.do(path)
			if runtime.GOOS == "windows" && tt.write {
				require.Error(t, err, "the system keeps other writers away")
				return
			}
			require.NoError(t, err)
			for _, kind := range allKinds() {
				err := sink.Write(t.Context(), numbered(kind, 2))
				assert.Equal(t, tt.clean, err == nil, "%v: %v", kind, err)
			}
		})
	}
}

func TestFileChainsManyEventsOfManyGoroutines(t *testing.T) {
	t.Parallel()
	const writers = 8
	each := longtest.Count(t, 1_250, 12_500)
	path := logPath(t)
	sink := openLog(t, path)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for n := range each {
				event := numbered(audit.Terminal, n)
				event.CallID = fmt.Sprintf("%d-%d", w, n)
				if !assert.NoError(t, sink.Write(context.Background(), event)) {
					return
				}
			}
		})
	}
	group.Wait()
	require.NoError(t, sink.Close())
	report := verifyFile(t, path, sink.Head())
	assert.Equal(t, writers*each, report.Records)
	assert.Equal(t, writers*each, report.HeadLine, "nothing follows the head")

	var next [writers]int
	for _, id := range callIDs(readLog(t, path)) {
		w := id[0] - '0'
		require.Equal(t, fmt.Sprintf("%d-%d", w, next[w]), id, "each has its own order")
		next[w]++
	}
}
