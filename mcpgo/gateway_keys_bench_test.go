package mcpgo_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/gateway/keys"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// The guarded call of these benchmarks, as a client sends it.
const addCall = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"calc_add","arguments":{"a":1,"b":2}}}` + "\n"

// BenchmarkGatewayKeys reports how much longer a call takes with the keys:
// the median of the ratios of neighbouring batches, in percent. The calls pass
// no network, and over stdio no process, so that the keys cost more of them
// than of real calls.
func BenchmarkGatewayKeys(b *testing.B) {
	none := func(string) (keys.Keys, bool) { return keys.Keys{}, false }
	serve := func(b *testing.B) *server.MCPServer {
		b.Helper()
		g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithRateLimit(1_000_000_000, 1))
		require.NoError(b, err)
		b.Cleanup(func() { _ = g.Close(context.Background()) })
		s, err := mcpgo.NewServer("calc", "1.0.0", g, mcpgo.WithTools(new(tools).Add().MustBuild()))
		require.NoError(b, err)
		return s
	}
	b.Run("http", func(b *testing.B) {
		// One server, so that only the keys differ.
		plain := adapter.LimitHandler(server.NewStreamableHTTPServer(serve(b), server.WithStateLess(true)), 0)
		keyed := keys.Handler(plain, none)
		call := func(h http.Handler) func() {
			return func() {
				r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(addCall))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Body)
				}
			}
		}
		compare(b, call(plain), call(keyed))
	})
	b.Run("stdio", func(b *testing.B) {
		session := func(keyed bool) func() {
			in, send := io.Pipe()
			out, write := io.Pipe()
			s := serve(b)
			var (
				requests io.Reader = in
				answers  io.Writer = write
			)
			if keyed {
				requests, answers = keys.Stdio(in, write, none)
			}
			go func() { _ = mcpgo.ServeStreams(context.Background(), s, requests, answers) }()
			b.Cleanup(func() { _ = send.Close() })
			answer := make([]byte, 64<<10)
			return func() {
				_, err := io.WriteString(send, addCall)
				require.NoError(b, err)
				for n := 0; n == 0 || answer[n-1] != '\n'; {
					n, err = out.Read(answer)
					require.NoError(b, err)
				}
			}
		}
		compare(b, session(false), session(true))
	})
}

// compare runs batches of two operations in turns.
func compare(b *testing.B, before, after func()) {
	b.Helper()
	const batch = 50
	took := func(op func()) float64 {
		begin := time.Now()
		for range batch {
			op()
		}
		return float64(time.Since(begin))
	}
	var ratios []float64
	for round := 0; b.Loop(); round++ {
		if round%2 == 0 {
			first := took(before)
			ratios = append(ratios, took(after)/first)
		} else {
			first := took(after)
			ratios = append(ratios, first/took(before))
		}
	}
	slices.Sort(ratios)
	b.ReportMetric(100*(ratios[len(ratios)/2]-1), "%-more")
}
