package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// callGroup has one valid call, on each SDK in each of its ways, and guarded.
func callGroup() group {
	valid := message(validArguments)
	return group{name: "call", batch: steadyBatch, variants: []variant{
		mcpgoBare.variant("mcpgo_bare", valid, checkOrder),
		mcpgoTyped.variant("mcpgo_typed", valid, checkOrder),
		mcpgoValidated.variant("mcpgo_validated", valid, checkOrder),
		mcpgoValidated.variantOf("mcpgo_validated_keyed", keyed(), checkOrder),
		guarded("full", full, same(valid), checkOrder),
		guardedWith("managed", func() (*contract.Tool, error) {
			return orders(toolName).Idempotency(onceForEachKey).Build()
		}, keyed(), roomyMemory),
		guarded("timeout", func() (*contract.Tool, error) { return orders(toolName).Timeout(time.Minute).Build() },
			same(valid), checkOrder),
		overGosdk("gosdk_bare", unguarded(gosdkBare), toolName),
		overGosdk("gosdk_typed", unguarded(gosdkTyped), toolName),
		overGosdk("gosdk_full", gosdkGuarded(ownPrincipal), toolName),
	}}
}

// invalidGroup has one call that breaks three constraints.
func invalidGroup() group {
	invalid := message(invalidArguments)
	return group{name: "invalid", batch: steadyBatch, variants: []variant{
		mcpgoValidated.variant("invalid_mcpgo", invalid, checkRefused),
		guarded("invalid_full", func() (*contract.Tool, error) {
			return orders(toolName).RetryBudget(1_000_000_000, time.Minute).Build() // every answer lists the violations
		}, same(invalid), checkRefused),
	}}
}

// sizeGroup has calls of growing arguments, which one string holds: from 100
// bytes to 1 MiB.
func sizeGroup() group {
	g := group{name: "size"}
	for _, size := range []struct {
		name  string
		bytes int
	}{{"100", 100}, {"1k", 1 << 10}, {"10k", 10 << 10}, {"100k", 100 << 10}, {"1m", 1 << 20}} {
		const frame = `{"customer":"c-1042","currency":"EUR","priority":3,"express":true,"note":"","lines":[{"sku":"L",` +
			`"quantity":1,"price":65.75}]}`
		m := message(strings.Replace(frame, `""`, `"`+strings.Repeat("x", max(0, size.bytes-len(frame)))+`"`, 1))
		g.variants = append(g.variants,
			mcpgoValidated.variant("size_"+size.name+"_mcpgo_validated", m, checkOrder),
			guarded("size_"+size.name+"_full", full, same(m), checkOrder))
	}
	return g
}

// parallelGroup has as many callers at once as there are processors, times
// four.
func parallelGroup() group {
	valid := message(validArguments)
	return group{name: "parallel", batch: steadyBatch, variants: []variant{
		parallel(mcpgoValidated.variant("parallel_mcpgo_validated", valid, checkOrder)),
		parallel(guarded("parallel_full", full, same(valid), checkOrder)),
		parallel(guarded("parallel_timeout", func() (*contract.Tool, error) {
			return orders(toolName).Timeout(time.Minute).Build()
		}, same(valid), checkOrder)),
	}}
}

const eachCaller = 25

// parallel turns an operation into many concurrent ones.
func parallel(v variant) variant {
	open, callers := v.open, 4*runtime.GOMAXPROCS(0)
	v.times = callers * eachCaller
	v.open = func() (func() error, func(), error) {
		op, end, err := open()
		return func() error {
			var wg sync.WaitGroup
			errs := make([]error, callers)
			for i := range callers {
				wg.Go(func() {
					for range eachCaller {
						if err := op(); err != nil {
							errs[i] = err
						}
					}
				})
			}
			wg.Wait()
			for _, err := range errs {
				if err != nil {
					return err
				}
			}
			return nil
		}, end, err
	}
	return v
}

// guardGroup has the guard and the table of an adapter, without an SDK, beside
// the work that no server can avoid: decode strictly, call, and marshal. Only
// tests of package guard can call a guard without a table.
func guardGroup() group {
	return group{name: "guard", batch: steadyBatch, variants: []variant{
		{name: "decode_and_marshal", open: func() (func() error, func(), error) {
			return func() error {
				d := json.NewDecoder(bytes.NewReader([]byte(validArguments)))
				d.DisallowUnknownFields()
				var in orderIn
				if err := d.Decode(&in); err != nil {
					return err
				}
				out, err := order(context.Background(), in)
				if err != nil {
					return err
				}
				_, err = json.Marshal(out)
				return err
			}, func() {}, nil
		}},
		guardAlone("guard_alone", adapter.LocalUser(permission)),
		guardAlone("guard_alone_own_principal", ownPrincipal),
	}}
}

// guardAlone calls the tool of a full call, without an SDK. The guard must
// wait for a source of the server author in another goroutine; that of a local
// user cannot block.
func guardAlone(name string, principal guard.PrincipalSource) variant {
	return variant{name: name, open: func() (func() error, func(), error) {
		t, err := full()
		if err != nil {
			return nil, nil, err
		}
		g, end, err := newGuard(discarded(), guard.WithPrincipal(principal))
		if err != nil {
			return nil, nil, err
		}
		table, err := adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{t}})
		if err != nil {
			return nil, nil, err
		}
		e := table.EntryOf(toolName)
		ctx := adapter.WithCaller(context.Background(), adapter.Caller{Local: true})
		return func() error {
			r, err := table.Call(ctx, e, adapter.Request{Arguments: json.RawMessage(validArguments)})
			if err == nil && r.IsError {
				err = fmt.Errorf("refused: %s", r.Outcome.Code)
			}
			return err
		}, end, err
	}}
}

// listGroup has tools/list of 10, 100 and 1,000 tools, in each tier, and of
// bare tools, without and with the hints that every contract has.
func listGroup() group {
	g := group{name: "list"}
	for _, n := range []int{10, 100, 1000} {
		for _, p := range []struct {
			name string
			plain
		}{{"mcpgo", mcpgoBare}, {"mcpgo_annotated", mcpgoAnnotated}} {
			g.variants = append(g.variants, variant{name: fmt.Sprintf("list_%d_%s", n, p.name),
				open: func() (func() error, func(), error) {
					s, err := p.serve(names(n)...)
					if err != nil {
						return nil, nil, err
					}
					op, err := ask(s, same(listMessage), checkList(n))
					return op, func() {}, err
				}})
		}
		for _, tier := range []contract.Tier{contract.TierHints, contract.TierSummary, contract.TierFull} {
			g.variants = append(g.variants, variant{name: fmt.Sprintf("list_%d_%s", n, tier), open: func() (func() error, func(), error) {
				s, end, err := manyTools(n, tier)
				if err != nil {
					return nil, nil, err
				}
				op, err := ask(s, same(listMessage), checkList(n))
				return op, end, err
			}})
		}
	}
	return g
}

var listMessage = []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)

func checkList(n int) func([]byte) error {
	return func(answer []byte) error {
		var r response
		if err := json.Unmarshal(answer, &r); err != nil {
			return err
		}
		if r.Result == nil || len(r.Result.Tools) != n {
			return fmt.Errorf("not %d tools: %.200s", n, answer)
		}
		return nil
	}
}

// names returns the names of n tools.
func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("orders_price_%04d", i)
	}
	return list
}

// manyTools returns a server with n guarded tools.
func manyTools(n int, tier contract.Tier) (*server.MCPServer, func(), error) {
	tools, err := built(names(n))
	if err != nil {
		return nil, nil, err
	}
	g, end, err := newGuard(discarded())
	if err != nil {
		return nil, nil, err
	}
	s, err := mcpgo.NewServer("bench", "1.0.0", g, mcpgo.WithTools(tools...), mcpgo.WithTier(tier))
	return s, end, err
}

// summaryBytes returns how many bytes the contract of a tool adds to the list
// at the default tier.
func summaryBytes() (float64, error) {
	t, err := full()
	if err != nil {
		return 0, err
	}
	sizes, err := contracttest.Measure(t)
	if err != nil {
		return 0, err
	}
	total := sizes.Total()
	return float64(total.Summary - total.Hints), nil
}
