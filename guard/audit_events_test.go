package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// within calls pay.now by a client that asks its user while the call waits.
func (k *kit) within(answer string) {
	k.t.Helper()
	_, err := k.set.Call(as(k.t.Context(), alice), guard.Request{
		Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Client: guard.Client{
			Ask: func(ctx context.Context, _ people.Question) (json.RawMessage, error) {
				if answer == "" {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return json.RawMessage(answer), nil
			},
		},
	})
	require.NoError(k.t, err)
}

// eventsOfCalls makes each kind of call, and returns the kit with its events.
var eventsOfCalls = map[string]func(t *testing.T, n *counter) *kit{
	"a refused call": func(t *testing.T, n *counter) *kit {
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()})
		k.call(bob, "pay.now", validPay)
		return k
	},
	"a read, or a medium-risk write with a store in memory": func(t *testing.T, n *counter) *kit {
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).MustBuild()})
		k.call(alice, "pay.now", validPay)
		return k
	},
	"a medium-risk write with a store that outlives the process": func(t *testing.T, n *counter) *kit {
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, guard.WithStore(sharedMemory{newMemory(t)}),
			guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32)))
		k.call(alice, "pay.now", validPay)
		return k
	},
	"a call from high risk up": func(t *testing.T, n *counter) *kit {
		k := newKit(t, []*contract.Tool{n.payer("pay.now").Risk(risk.High).ConfirmNever("Bounded.").MustBuild()})
		k.call(alice, "pay.now", validPay)
		return k
	},
	"from high risk up, after a person approved in the client": func(t *testing.T, n *counter) *kit {
		k := newKit(t, []*contract.Tool{n.asking("pay.now").Risk(risk.High).MustBuild()})
		k.within(confirmed)
		return k
	},
	"from high risk up, after an approver approved": func(t *testing.T, n *counter) *kit {
		k, d := approvals(t, n.asking("pay.now").Risk(risk.High).MustBuild())
		k.call(alice, "pay.now", validPay)
		q, _ := d.last(t)
		k.decide(q, true)
		k.call(alice, "pay.now", validPay)
		return k
	},
	"from high risk up, after a person authenticated on a page": func(t *testing.T, n *counter) *kit {
		p := &page{}
		k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").Risk(risk.High).ConfirmNever("Bounded.").MustBuild()},
			guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
		q := sent(t, k.urlRound(payNow))
		require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.Question.ID, strong(alice)))
		k.urlRound(payNow.opened(q.State, accepted))
		return k
	},
	"a person declined in the client": func(t *testing.T, n *counter) *kit {
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
		k.within(declined)
		return k
	},
	"a person did not answer in the client": func(t *testing.T, n *counter) *kit {
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
		k.within("")
		return k
	},
	"a preview": func(t *testing.T, n *counter) *kit {
		k := newKit(t, []*contract.Tool{n.tryable("pay.now").MustBuild()})
		k.call(alice, "pay.now", dryPay)
		return k
	},
	"the result of an earlier call": func(t *testing.T, n *counter) *kit {
		memory, key := newMemory(t), guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32))
		tool := n.managedPayer("pay.now", byArguments, nil).MustBuild()
		first := newKit(t, []*contract.Tool{tool}, guard.WithStore(memory), key)
		first.call(alice, "pay.now", validPay)
		require.NoError(t, first.guard.Close(t.Context()))
		k := newKit(t, []*contract.Tool{tool}, guard.WithStore(memory), key)
		require.Equal(t, contract.StatusReplayed, k.call(alice, "pay.now", validPay).Outcome.Status)
		return k
	},
	"an effect of an earlier call that is found": func(t *testing.T, _ *counter) *kit {
		s, memory := newShop(), newMemory(t)
		tools := []*contract.Tool{s.tool(byNumber).MustBuild()}
		first := newKit(t, tools, guard.WithStore(memory), sealing)
		s.died(t, first, true)
		require.NoError(t, first.guard.Close(t.Context()))
		k := newKit(t, tools, guard.WithStore(memory), sealing)
		require.Equal(t, contract.StatusReplayed, k.call(alice, "orders.place", orderOne).Outcome.Status)
		return k
	},
	"a handler that ends after its caller had an answer": func(t *testing.T, _ *counter) *kit {
		tool := writer("pay.now", func(context.Context) error { time.Sleep(time.Minute); return nil }).Timeout(time.Second).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		k.call(alice, "pay.now", "")
		time.Sleep(2 * time.Minute)
		return k
	},
	"`Guard.ResolveUnknown` of an operator": func(t *testing.T, _ *counter) *kit {
		k := newKit(t, nil)
		require.Error(t, k.guard.ResolveUnknown(as(t.Context(), carol), (store.Key{ID: store.Digest{1}}).String(), store.Happened))
		return k
	},
}

func TestAudit_EventsOfACallAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../docs/audit.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(raw), "\n| call | events |\n|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	documented := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (.*) \| (.*) \|$`).FindAllStringSubmatch(table, -1) {
		documented[row[1]] = strings.ReplaceAll(row[2], "`", "")
	}
	seen := map[string]string{}
	for name, run := range eventsOfCalls {
		synctest.Test(t, func(t *testing.T) {
			k := run(t, &counter{})
			require.NoError(t, k.guard.Close(t.Context()))
			var kinds []string
			for _, e := range k.log.Events() {
				if len(kinds) == 0 || k.log.Events()[0].CallID == e.CallID {
					kinds = append(kinds, string(e.Kind))
				}
			}
			seen[name] = strings.Join(kinds, ", ")
		})
	}
	assert.Equal(t, documented, seen)
}

// The stage of the event is the place of the answer.
func TestAudit_DecidedNamesThePersonAndThePlace(t *testing.T) {
	t.Parallel()
	on := func(row string) func(*testing.T, *counter) *kit { return eventsOfCalls[row] }
	for name, c := range map[string]struct {
		run   func(t *testing.T, n *counter) *kit
		stage string
		who   string
		what  audit.Decision
	}{
		"in the client":    {on("from high risk up, after a person approved in the client"), "confirm", "alice", audit.Allow},
		"declined there":   {on("a person declined in the client"), "confirm", "alice", audit.Deny},
		"with an approver": {on("from high risk up, after an approver approved"), "decide", "dave", audit.Allow},
		"on a page": {on("from high risk up, after a person authenticated on a page"), "completestepup", "alice",
			audit.Allow},
		"in a round":          {answeredInARound(confirmed), "confirm", "alice", audit.Allow},
		"declined in a round": {answeredInARound(declined), "confirm", "alice", audit.Deny},
		"no authentication":   {declinesStepUp, "stepup", "alice", audit.Deny},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := c.run(t, &counter{})
				decided := k.events(audit.Decided)
				require.Len(t, decided, 1)
				e := decided[0]
				assert.Equal(t, []any{c.stage, c.who, c.what, ""}, []any{e.Stage, e.Principal, e.Decision, e.Status})
				asked := k.log.Events(audit.Asked)
				require.Len(t, asked, 1)
				assert.Equal(t, asked[0].CallID, e.CallID, "the question has the id")
			})
		})
	}
}

// A client repeats its answer if it has lost the reply, and perhaps reaches
// another replica. The person has decided once.
func TestAudit_RepeatedAnswerIsOneDecision(t *testing.T) {
	t.Parallel()
	asking := func(n *counter) *contract.Tool { return n.asking("pay.now").MustBuild() }
	for name, c := range map[string]struct {
		build  func(*counter) *contract.Tool
		send   func(*kit, round) (*guard.Result, error)
		answer func(state string) round
		what   audit.Decision
	}{
		"an approval": {asking, (*kit).round, func(state string) round { return payNow.with(state, confirmed) }, audit.Allow},
		"a refusal":   {asking, (*kit).round, func(state string) round { return payNow.with(state, declined) }, audit.Deny},
		"no authentication": {func(n *counter) *contract.Tool { return n.steppingUp("pay.now").MustBuild() }, (*kit).tryURLRound,
			func(state string) round { return payNow.opened(state, declined) }, audit.Deny},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, p := &counter{}, &page{}
			tools := []*contract.Tool{c.build(n)}
			people := guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address})
			shared := guard.WithStore(newMemory(t))
			one, other := newKit(t, tools, shared, sealing, people), newKit(t, tools, shared, sealing, people)
			q, err := c.send(one, payNow)
			require.NoError(t, err)
			require.NotEmpty(t, q.State)
			for _, k := range []*kit{one, one, other} {
				_, err := c.send(k, c.answer(q.State))
				require.NoError(t, err)
			}
			decided := append(one.events(audit.Decided), other.events(audit.Decided)...)
			require.Len(t, decided, 1)
			assert.Equal(t, c.what, decided[0].Decision)
			assert.LessOrEqual(t, n.runs.Load(), int64(1))
		})
	}
}

func answeredInARound(answer string) func(t *testing.T, n *counter) *kit {
	return func(t *testing.T, n *counter) *kit {
		k := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()})
		q, err := k.round(payNow)
		require.NoError(t, err)
		_, err = k.round(payNow.with(q.State, answer))
		require.NoError(t, err)
		return k
	}
}

func declinesStepUp(t *testing.T, n *counter) *kit {
	p := &page{}
	k := newKit(t, []*contract.Tool{n.steppingUp("pay.now").MustBuild()},
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}))
	q := sent(t, k.urlRound(payNow))
	k.urlRound(payNow.opened(q.State, declined))
	return k
}
