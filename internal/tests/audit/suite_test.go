package audit_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/verify/storetest"
)

// parse reads events from JSON lines.
func parse(data []byte) ([]audit.Event, error) {
	var events []audit.Event
	for line := range bytes.Lines(data) {
		var e audit.Event
		if err := e.UnmarshalJSON(line); err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}

// onFile returns the harness for a sink that ultimately writes to a log file.
func onFile(t *testing.T, sink func(*audit.FileSink) audit.Sink) storetest.SinkHarness {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	read := func() ([]byte, error) { return os.ReadFile(path) }
	file, err := audit.OpenFile(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	return storetest.SinkHarness{
		Sink: sink(file),
		Raw:  read,
		Kept: func() ([]audit.Event, error) {
			data, err := read()
			if err != nil {
				return nil, err
			}
			return parse(data)
		},
		Fail: func() error { return os.Remove(path) },
	}
}

func TestRecorder_FollowsTheRules(t *testing.T) {
	t.Parallel()
	storetest.RunSink(t, func(*testing.T) storetest.SinkHarness {
		r := &audit.Recorder{}
		return storetest.SinkHarness{Sink: r, Kept: func() ([]audit.Event, error) { return r.Events(), nil }}
	})
}

func TestFile_FollowsTheRules(t *testing.T) {
	t.Parallel()
	storetest.RunSink(t, func(t *testing.T) storetest.SinkHarness {
		return onFile(t, func(file *audit.FileSink) audit.Sink { return file })
	})
}

// The suite reads what the last sink kept, so every sink before it must pass
// the events on.
func TestTee_FollowsTheRules(t *testing.T) {
	t.Parallel()
	down := audit.Func(func(context.Context, audit.Event) error { return errors.New("metrics are down") })
	storetest.RunSink(t, func(t *testing.T) storetest.SinkHarness {
		return onFile(t, func(file *audit.FileSink) audit.Sink {
			return audit.Tee(audit.Optional(down, nil), &audit.Recorder{}, file)
		})
	})
}

// sharedBuffer is a buffer for one writer and one reader. It can be full.
type sharedBuffer struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	full bool
}

func (b *sharedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		return 0, errors.New("no space left on device")
	}
	return b.buf.Write(p)
}

func (b *sharedBuffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}

func TestSlog_FollowsTheRules(t *testing.T) {
	t.Parallel()
	storetest.RunSink(t, func(*testing.T) storetest.SinkHarness {
		out := &sharedBuffer{}
		return storetest.SinkHarness{
			Sink: audit.Slog(slog.New(slog.NewJSONHandler(out, nil))),
			Raw:  func() ([]byte, error) { return out.bytes(), nil },
			Kept: func() ([]audit.Event, error) { return parse(out.bytes()) },
			Fail: func() error {
				out.mu.Lock()
				defer out.mu.Unlock()
				out.full = true
				return nil
			},
		}
	})
}
