package adapters_test

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// A declaring connection mistakes the capabilities of a newer tools/list for
// those of its session.
type declaring struct {
	*pipes
	initialized bool
}

func (d *declaring) Write(b []byte) (int, error) {
	var m map[string]any
	_ = json.Unmarshal(b, &m) // what isn't JSON has no capabilities
	declared := at(m, "params", "_meta", "io.modelcontextprotocol/clientCapabilities")
	if d.initialized = d.initialized || m["method"] == "initialize"; d.initialized && m["method"] == "tools/list" &&
		declared != nil {
		m["method"], m["params"] = "initialize", map[string]any{"capabilities": declared}
		changed, err := json.Marshal(m)
		if err != nil {
			return 0, err
		}
		_, err = d.pipes.Write(append(changed, '\n'))
		return len(b), err
	}
	return d.pipes.Write(b)
}

// An ending is a connection that ends differently.
type ending struct {
	*pipes
	end func() error
}

func (e ending) Close() error { return e.end() }

// A deaf connection ends when its input ends.
type deaf struct{ *pipes }

func (d deaf) CloseWrite() error { return d.PipeReader.Close() }

func brokenEnds() []breach {
	abandoned, abandon := context.WithCancel(context.Background())
	abandon()
	return []breach{
		{"it ignores cancellations", quirk{call: func(next callFunc) callFunc {
			return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
				return next(context.WithoutCancel(ctx), e, r)
			}
		}}, []string{"cancel-read"}},
		{"its end abandons calls", quirk{conn: func(s Settings, conn io.ReadWriteCloser) io.ReadWriteCloser {
			p := conn.(*pipes)
			return ending{p, func() error {
				_ = s.Guard.Close(abandoned)
				return p.Close()
			}}
		}}, []string{"end-call"}},
		{"it does not end while a handler runs", quirk{conn: func(s Settings, conn io.ReadWriteCloser) io.ReadWriteCloser {
			p := conn.(*pipes)
			return ending{p, func() error {
				if s.Tools[0].Name() == "notes.exit" {
					time.Sleep(15 * time.Second)
				}
				return p.Close()
			}}
		}}, []string{"end-close"}},
		{"it answers nothing after the end of its input", quirk{conn: func(_ Settings,
			conn io.ReadWriteCloser) io.ReadWriteCloser {
			return deaf{conn.(*pipes)}
		}}, []string{"end-answers"}},
		{"a line that is not JSON ends the session", quirk{in: func(m map[string]any, raw string) string {
			if m == nil {
				return end
			}
			return raw
		}}, []string{"end-line"}},
		{"it answers nothing after the end of the guard", quirk{out: func(m map[string]any) bool {
			return at(m, "result", "_meta", outcomeKey)["code"] != contract.CodeUnavailable
		}}, []string{"identity-unavailable", "end-guard"}},
	}
}
