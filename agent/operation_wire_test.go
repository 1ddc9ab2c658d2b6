package agent_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/clienttest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// envOrders names the folder of a test binary that serves orders over stdio,
// and envKilled what its process has done when it is killed.
const (
	envOrders = "AGENT_TEST_ORDERS"
	envKilled = "AGENT_TEST_KILLED"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envOrders); dir != "" {
		orders{dir, os.Getenv(envKilled)}.serve()
	}
	os.Exit(m.Run())
}

// orders is a server without an SDK. Its tool orders_place answers that the
// order is in progress, and kills its own process when it is called again.
type orders struct{ dir, killed string }

// note appends a line to a file, and returns how many it has then.
func (o orders) note(file string) int {
	f, err := os.OpenFile(filepath.Join(o.dir, file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, _ = f.WriteString("x")
		_ = f.Close()
	}
	return o.count(file)
}

// count returns how many lines a file has.
func (o orders) count(file string) int {
	noted, _ := os.ReadFile(filepath.Join(o.dir, file))
	return len(noted)
}

func (o orders) serve() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if json.Unmarshal(in.Bytes(), &m) == nil && m.ID != nil {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, o.answer(m.Method+" "+m.Params.Name))
		}
	}
	os.Exit(0)
}

func (o orders) answer(method string) string {
	switch method {
	case "initialize ":
		return `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"orders","version":"1"}}`
	case "tools/list ":
		return `"result":{"tools":[` + contracted("orders_place", writing) + `,` + lookup + `]}`
	case "tools/call orders_place":
		if o.note("calls") == 1 {
			return `"result":` + inProgress
		}
		if o.killed == "after" {
			o.note("placed")
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {}
	case "tools/call operations_get":
		state := "did_not_happen"
		if o.count("placed") > 0 {
			state = "succeeded"
		}
		return `"result":{"content":[],"structuredContent":` + inState(state) + `}`
	}
	return `"error":{"code":-32601,"message":"unknown"}`
}

// The server of a call is killed before or after the effect. Its contract
// excludes no second effect, so the agent asks the next process.
func TestCall_LooksUpWhatAKilledServerDid(t *testing.T) {
	t.Parallel()
	for killed, want := range map[string]struct {
		code, state string
		placed      int
	}{
		"before": {contract.CodeOutcomeUnknown, "did_not_happen", 0}, "after": {contract.CodeAlreadyDone, "succeeded", 1},
	} {
		t.Run(killed, func(t *testing.T) {
			t.Parallel()
			o := orders{t.TempDir(), killed}
			server := client.Command{Path: os.Args[0], Env: append(os.Environ(), envOrders+"="+o.dir, envKilled+"="+killed)}
			a := connect(t, client.New(server))
			fatal := fatalOf(t, second(a.Call(t.Context(), "orders_place", nil)))
			assert.Equal(t, want.code, fatal.Code)
			assert.Equal(t, agent.Operation{ID: operation, State: want.state, Tool: "a_b"}, fatal.Operation)
			assert.Equal(t, want.placed, o.count("placed"))
			assert.Equal(t, 2, o.count("calls"))

			tool, _ := a.Tool("orders_place")
			sent := tool.Sent("the key")
			sent.OperationID = fatal.Operation.ID
			require.NoError(t, a.Close())
			again := connect(t, client.New(server)) // the session of another process
			fatal = fatalOf(t, second(again.Call(t.Context(), "orders_place", nil, agent.Continue(sent))))
			assert.Equal(t, want.code, fatal.Code)
			assert.Equal(t, 2, o.count("calls"))
		})
	}
}

type lookupIn struct {
	OperationID string `json:"operationId"`
}

type lookupOut struct {
	State string `json:"state"`
}

// looksUp is a tool that says of one operation that it succeeded.
func looksUp(id *string) *contract.Tool {
	return contract.New("operations_get", func(_ context.Context, in lookupIn) (lookupOut, error) {
		if in.OperationID != *id {
			return lookupOut{"unknown"}, nil
		}
		return lookupOut{"succeeded"}, nil
	}).FlatName().Description("Looks up a call.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
}

// A server of this library names the operation in its answer. Once its tool is
// another one, the call is not repeated, and the agent asks.
func TestContinue_AsksAServerWhoseToolHasChanged(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		for name, tier := range map[string]contract.Tier{"summary": contract.TierSummary, "full": contract.TierFull} {
			t.Run(version+" "+name, func(t *testing.T) {
				t.Parallel()
				var l ledger
				var id string
				url := func(changed string) string {
					order := l.paying("bank.order").Effect(risk.LowRiskWrite).Version(changed).
						Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"to"}}).MustBuild()
					s := newServer(t, []*contract.Tool{order, looksUp(&id)}, mcpgo.WithTier(tier))
					h, err := mcpgo.HandlerOf(s)
					require.NoError(t, err)
					web := httptest.NewServer(h)
					t.Cleanup(web.Close)
					return web.URL + "/mcp"
				}
				dial := func(changed string) *agent.Agent {
					return connect(t, client.New(clienttest.Speaking(version, client.HTTP{URL: url(changed)})))
				}
				a := dial("1.0.0")
				tool, _ := a.Tool("bank_order")
				sent := tool.Sent("the key")
				r, err := a.Call(t.Context(), "bank_order", payIn{To: "bob"}, agent.WithKey("the key"))
				require.NoError(t, err)
				id = r.Outcome.OperationID
				require.True(t, strings.HasPrefix(id, "op_"), id)
				sent.OperationID = id

				again := dial("1.1.0")
				start := time.Now()
				fatal := fatalOf(t, second(again.Call(t.Context(), "bank_order", payIn{To: "bob"}, agent.Continue(sent))))
				assert.Equal(t, contract.CodeAlreadyDone, fatal.Code)
				assert.Equal(t, "succeeded", fatal.Operation.State)
				assert.Less(t, time.Since(start), 10*time.Second)
				assert.Equal(t, 1, l.of("bob"))
			})
		}
	}
}
