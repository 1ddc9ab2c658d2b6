package audit_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/guard/audit"
	"github.com/toolcontract/toolcontract/contract/verify/storetest"
)

// parse reads the events of JSON lines. A torn line is not an event.
func parse(data []byte) ([]audit.Event, error) {
	var events []audit.Event
	for _, record := range records(data) {
		events = append(events, record.Event)
	}
	return events, nil
}

func TestFileFollowsTheRulesOfASink(t *testing.T) {
	t.Parallel()
	storetest.RunSink(t, func(t *testing.T) storetest.SinkHarness {
		path := logPath(t)
		read := func() ([]byte, error) { return os.ReadFile(path) }
		return storetest.SinkHarness{
			Sink: openLog(t, path),
			Raw:  read,
			Kept: func() ([]audit.Event, error) {
				data, err := read()
				require.NoError(t, err)
				return parse(data)
			},
			Fail: func() error { return os.Remove(path) },
		}
	})
}

func TestFileFollowsTheRulesOfASinkOnABadDisk(t *testing.T) {
	t.Parallel()
	storetest.RunSink(t, func(t *testing.T) storetest.SinkHarness {
		d := &disk{}
		return storetest.SinkHarness{
			Sink: startOn(t, d),
			Raw:  func() ([]byte, error) { return d.log(), nil },
			Kept: func() ([]audit.Event, error) { return parse(d.log()) },
			Fail: func() error {
				d.set(func() { d.accept = func([]byte) (int, error) { return 0, errFull } })
				return nil
			},
			Stall: func() func() {
				gate := make(chan struct{})
				d.set(func() { d.gate = gate })
				return func() {
					d.set(func() { d.gate = nil })
					close(gate)
				}
			},
		}
	})
}

// sharedBuffer is a buffer for a writer and a reader. It can be full.
type sharedBuffer struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	full bool
}

func (b *sharedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		return 0, errFull
	}
	return b.buf.Write(p)
}

func (b *sharedBuffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}

func TestSlogFollowsTheRulesOfASink(t *testing.T) {
	t.Parallel()
	storetest.RunSink(t, func(*testing.T) storetest.SinkHarness {
		out := &sharedBuffer{}
		return storetest.SinkHarness{
			Sink: audit.Slog(slog.New(slog.NewJSONHandler(out, nil))),
			Raw:  func() ([]byte, error) { return out.bytes(), nil },
			Kept: func() ([]audit.Event, error) {
				var events []audit.Event
				for decoder := json.NewDecoder(bytes.NewReader(out.bytes())); decoder.More(); {
					var event audit.Event
					if err := decoder.Decode(&event); err != nil {
						return nil, err
					}
					events = append(events, event)
				}
				return events, nil
			},
			Fail: func() error {
				out.mu.Lock()
				defer out.mu.Unlock()
				out.full = true
				return nil
			},
		}
	})
}
