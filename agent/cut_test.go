package agent_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/clienttest"
	"github.com/toolcontract/toolcontract/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// A cutter is a listener whose connections end after some bytes of the answer
// to a tools/call.
type cutter struct {
	net.Listener

	skip atomic.Int64 // calls that pass before the one that is cut
	cut  atomic.Int64 // bytes of its answer that pass; negative: all
	size atomic.Int64 // of the last whole answer
}

func (c *cutter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	return &cutConn{Conn: conn, cutter: c, left: -1}, err
}

type cutConn struct {
	net.Conn

	cutter  *cutter
	request []byte
	isCall  bool
	left    int // bytes that pass; negative: all
	written int64
}

func (c *cutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.request = append(c.request, p[:n]...); !c.isCall && bytes.Contains(c.request, []byte(`"tools/call"`)) {
		c.isCall = true
		if c.cutter.skip.Add(-1) < 0 {
			c.left = int(c.cutter.cut.Swap(-1))
		}
	}
	return n, err
}

func (c *cutConn) Write(p []byte) (int, error) {
	if c.left >= 0 && len(p) > c.left {
		_, _ = c.Conn.Write(p[:c.left])
		_ = c.Close()
		return 0, errCut
	}
	if c.left >= 0 {
		c.left -= len(p)
	}
	n, err := c.Conn.Write(p)
	if c.written += int64(n); c.isCall {
		c.cutter.size.Store(c.written)
	}
	return n, err
}

// startCutter serves tools over HTTP behind a cutter.
func startCutter(t *testing.T, tools []*contract.Tool) (*cutter, string) {
	t.Helper()
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithRateLimit(1_000_000, time.Minute),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (contract.Principal, error) { return anna, nil })))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	h, err := mcpgo.NewHandler("bank", "1.0.0", g, mcpgo.WithTools(tools...), mcpgo.WithTier(contract.TierFull))
	require.NoError(t, err)
	srv := httptest.NewUnstartedServer(h)
	c := &cutter{Listener: srv.Listener}
	c.cut.Store(-1)
	srv.Listener = c
	srv.Start()
	t.Cleanup(srv.Close)
	return c, srv.URL + "/mcp"
}

// unpooled makes a connection for each request, as a cutter expects.
func unpooled() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

func TestThreat138_AnswersCutAtEachByteNeverHaveASecondEffect(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		for _, tool := range []string{"bank_note", "bank_plain", "bank_transfer", "calc_add"} {
			t.Run(version+" "+tool, func(t *testing.T) {
				t.Parallel()
				cutEachByte(t, version, tool, 0)
				if tool == "bank_transfer" && version == versions[1] { // the request with the answer of the person
					cutEachByte(t, version, tool, 1)
				}
			})
		}
	}
}

func cutEachByte(t *testing.T, version, tool string, skip int64) {
	t.Helper()
	var l ledger
	c, url := startCutter(t, []*contract.Tool{l.note(), l.plain(), l.transfer(), add()})
	a := connect(t, client.New(clienttest.Speaking(version, client.HTTP{URL: url, Client: unpooled()})),
		withHost(approving().host()), withLag(time.Microsecond))
	arguments := func(to string) any {
		if tool == "calc_add" {
			return addIn{A: 1}
		}
		return payIn{To: to}
	}
	require.NoError(t, second(a.Call(t.Context(), tool, arguments("whole"))))
	size := c.size.Load()
	step := int64(longtest.Count(t, 17, 1))
	if longtest.Enabled() && (version == versions[0] || tool == "calc_add") {
		step = 7 // the others show the same, and each handshake takes its time
	}
	unknown := 0
	for n := int64(0); n < size+step; n += step {
		to := strconv.FormatInt(n, 10)
		c.skip.Store(skip)
		c.cut.Store(n)
		_, err := a.Call(t.Context(), tool, arguments(to))
		assert.LessOrEqual(t, l.of(to), 1, "cut after %d bytes", n)
		switch {
		case err == nil && tool != "calc_add":
			assert.Equal(t, 1, l.of(to), "cut after %d bytes", n)
		case err != nil:
			var fatal *agent.FatalError
			require.ErrorAs(t, err, &fatal)
			assert.Equal(t, contract.CodeOutcomeUnknown, fatal.Code, "cut after %d bytes: %v", n, errors.Unwrap(err))
			unknown++
		}
	}
	switch tool {
	case "bank_note", "calc_add":
		assert.Zero(t, unknown, "the contract excludes a second effect, so the call is repeated")
	case "bank_plain":
		assert.Positive(t, unknown)
	}
}
