package gateway_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

func TestRefresh_ServesTheToolsOfAllServers(t *testing.T) {
	t.Parallel()
	local, remote := overStdio(t, toolPid, toolHold), overHTTP(t, toolPid, toolLook)
	k := newKit(t, map[string]*server{"local": local, "remote": remote}, gateway.Options{})
	k.refresh()
	assert.Equal(t, []string{"hold", "look", "pid", "remote_pid"}, k.names())
	assert.NotEqual(t, k.pid("pid"), k.pid("remote_pid"))

	e := k.table.Load().Entry("hold")
	doc := e.Tool().Document()
	assert.Equal(t, risk.LowRiskWrite, doc.Effect)
	codes := []string{}
	for _, m := range doc.FailureModes {
		codes = append(codes, m.Code)
	}
	assert.Contains(t, codes, gateway.ErrUnanswered.Code())
	assert.NotContains(t, codes, gateway.ErrInterrupted.Code(), "only the failure that applies is declared")
	assert.Len(t, k.gw.Catalog().Cycle().Entries, 4)
}

func TestRefresh_VetoAndDowngradeAreNotServed(t *testing.T) {
	t.Parallel()
	s := overStdio(t, toolPid, toolHold, toolChange)
	k := newKit(t, map[string]*server{"local": s}, gateway.Options{Catalog: catalog.Options{Overrides: catalog.Overrides{
		Format: 1, Servers: map[string]catalog.ServerOverrides{
			"local": {Tools: map[string]catalog.Override{"change": {Reason: "No agent needs it.", Veto: true}}},
		},
	}}})
	k.refresh()
	assert.Equal(t, []string{"hold", "pid"}, k.names())
	before := k.table.Load().Entry("hold")
	s.lists(t, toolPid, toolWeak, toolChange)
	k.refresh()
	assert.Equal(t, []string{"pid"}, k.names())
	_, err := k.table.Load().Call(t.Context(), before, adapter.Request{})
	require.Error(t, err, "an entry that a session still has is not run")
}

func TestRefresh_ServerThatDoesNotAnswerHarmsNoOther(t *testing.T) {
	t.Parallel()
	gone := &server{client: client.New(client.Command{Path: "/nowhere/at/all"})}
	k := newKit(t, map[string]*server{"local": overStdio(t, toolPid), "gone": gone}, gateway.Options{})
	cycle, err := k.gw.Refresh(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"pid"}, k.names())
	assert.NotEmpty(t, cycle.Servers[0].Problems)
	k.pid("pid")
}

func TestRefresh_ToolWithAMistakeHarmsNoOther(t *testing.T) {
	t.Parallel()
	bad := `{"name":"bad","description":"Has a bad schema.","inputSchema":{"type":"object","properties":{"a":{"x-secret":true}}},` +
		`"annotations":{"risk_level":"read-only","content_trust_risk":"trusted","version":"1.0.0"}}`
	k := newKit(t, map[string]*server{"local": overStdio(t, toolPid, bad)}, gateway.Options{})
	_, err := k.gw.Refresh(t.Context())
	if err != nil { // without an error, the catalogue has quarantined the tool
		require.NotEmpty(t, contract.DeclarationErrors(err))
	}
	assert.Equal(t, []string{"pid"}, k.names())
}

func TestRun_FollowsReportedChanges(t *testing.T) {
	t.Parallel()
	s := overStdio(t, toolPid, toolChange, toolHold)
	var log syncBuffer
	k := newKit(t, map[string]*server{"local": s}, gateway.Options{Interval: -1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	k.refresh()
	<-k.times
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { k.gw.Run(ctx) })
	s.lists(t, toolPid, toolWeak, toolLook)
	k.call("change")
	<-k.times
	assert.Equal(t, []string{"look", "pid"}, k.names())
	// Run logs after publishing, unless it was stopped.
	assert.Eventually(t, func() bool { return strings.Contains(log.String(), "became weaker") }, time.Minute, time.Millisecond)
	stop()
	running.Wait()
}

func TestRun_ListsAtEachInterval(t *testing.T) {
	t.Parallel()
	s := overStdio(t, toolPid)
	k := newKit(t, map[string]*server{"local": s}, gateway.Options{Interval: time.Millisecond})
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { k.gw.Run(ctx) })
	<-k.times
	<-k.times
	stop()
	running.Wait()
}

// A syncBuffer is a buffer for several goroutines.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestNew_ReportsMistakes(t *testing.T) {
	t.Parallel()
	publish := func([]*contract.Tool) error { return nil }
	away := client.New(client.HTTP{URL: "http://127.0.0.1:1/mcp"})
	for name, c := range map[string]struct {
		upstreams []gateway.Upstream
		publish   gateway.PublishFunc
	}{
		"no endpoint":        {[]gateway.Upstream{{Name: "a", Client: away}}, nil},
		"no client":          {[]gateway.Upstream{{Name: "a"}}, publish},
		"no name":            {[]gateway.Upstream{{Client: away}}, publish},
		"two of one name":    {[]gateway.Upstream{{Name: "a", Client: away}, {Name: "a", Client: away}}, publish},
		"a name with blanks": {[]gateway.Upstream{{Name: "a b", Client: away}}, publish},
	} {
		_, err := gateway.New(c.upstreams, c.publish, gateway.Options{})
		require.Error(t, err, name)
	}
	_, err := gateway.New(nil, publish, gateway.Options{})
	assert.NoError(t, err, "a gateway without servers serves nothing")
}

// managed returns options with which the guard deduplicates hold.
func managed() gateway.Options {
	return gateway.Options{Catalog: catalog.Options{Overrides: catalog.Overrides{
		Format: 1, Servers: map[string]catalog.ServerOverrides{
			"first": {Tools: map[string]catalog.Override{"hold": {Reason: "It must run once.", Idempotency: idempotency.Managed}}},
		},
	}}}
}
