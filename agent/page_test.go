package agent_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
)

// A testApprover is an approver whose questions a test decides.
type testApprover struct {
	people guard.People
	mu     sync.Mutex
	asked  []string
}

func (d *testApprover) Attach(p guard.People) error {
	d.people = p
	return nil
}

func (d *testApprover) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, q.Token)
	return "https://desk.example/approvals", nil
}

func (d *testApprover) decide(t *testing.T, approve bool) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	require.NotEmpty(t, d.asked)
	dave := contract.Principal{Issuer: "staff", Subject: "dave", Human: true}
	require.NoError(t, d.people.Decide(t.Context(), d.asked[len(d.asked)-1], approve, dave))
}

func TestCall_WaitsForTheApprovalOnAPage(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		for _, approve := range []bool{true, false} {
			var l ledger
			d := &testApprover{}
			s := newServer(t, []*contract.Tool{l.transfer()}, tier, guard.WithPeople(guard.PeopleOptions{Approver: d}))
			p := approving()
			p.opened = func(agent.Page) agent.Answer {
				d.decide(t, approve)
				return agent.Answer{Action: agent.Accept}
			}
			host := p.host()
			host.Ask = nil
			_, err := connect(t, inProcess(t, s, version), withHost(host)).Call(t.Context(), "bank_transfer", payIn{To: "ben"})
			require.Len(t, p.pages, 1)
			assert.Equal(t, "https://desk.example/approvals", p.pages[0].URL)
			assert.JSONEq(t, `{"to":"ben"}`, string(p.pages[0].Arguments))
			if approve {
				require.NoError(t, err)
				assert.Equal(t, 1, l.of("ben"))
				continue
			}
			assert.Equal(t, contract.CodeConfirmationDeclined, retryOf(t, err).Code)
			assert.Zero(t, l.of("ben"))
		}
	})
}

func TestCall_WithoutAPageToOpenTheCallerWaitsItself(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		var l ledger
		d := &testApprover{}
		s := newServer(t, []*contract.Tool{l.transfer()}, tier, guard.WithPeople(guard.PeopleOptions{Approver: d}))
		first := connect(t, inProcess(t, s, version))
		pending := retryOf(t, second(first.Call(t.Context(), "bank_transfer", payIn{To: "ben"})))
		assert.Equal(t, contract.CodeConfirmationPending, pending.Code)
		assert.Positive(t, pending.After)
		assert.NotEmpty(t, pending.Outcome.URL)
		d.decide(t, true)
		again := connect(t, inProcess(t, s, version)) // after a restart
		_, err := again.Call(t.Context(), "bank_transfer", payIn{To: "ben"}, withKeyOf(pending)...)
		require.NoError(t, err)
		assert.Equal(t, 1, l.of("ben"))
	})
}

func withKeyOf(e *agent.RetryError) []agent.CallOption {
	if e.Key == "" {
		return nil
	}
	return []agent.CallOption{agent.WithKey(e.Key)}
}

func TestCall_SendsThePersonToAuthenticate(t *testing.T) {
	t.Parallel()
	eachSession(t, func(t *testing.T, version string, tier mcpgo.Option) {
		for _, completes := range []bool{true, false} {
			var l ledger
			var id string
			d := &testApprover{}
			tool := l.paying("bank.payout").Effect(risk.PaidOperation).StepUp(contract.StepUp{MaxAge: time.Minute}).MustBuild()
			page := func(_ context.Context, r people.StepUpRequest) (string, error) {
				id = r.ID
				return "https://bank.example/authenticate", nil
			}
			s := newServer(t, []*contract.Tool{tool}, tier, guard.WithPeople(guard.PeopleOptions{StepUpPage: page, Approver: d}))
			p := approving()
			p.opened = func(agent.Page) agent.Answer {
				if !completes {
					return agent.Answer{Action: agent.Decline}
				}
				by := anna
				by.Human, by.AuthTime = true, time.Now()
				require.NoError(t, d.people.CompleteStepUp(t.Context(), id, by))
				return agent.Answer{Action: agent.Accept}
			}
			a := connect(t, inProcess(t, s, version), withHost(p.host()))
			_, err := a.Call(t.Context(), "bank_payout", payIn{To: "ben"})
			require.Len(t, p.pages, 1)
			if completes {
				require.NoError(t, err)
				assert.Equal(t, 1, l.of("ben"))
				continue
			}
			require.Error(t, err)
			assert.Zero(t, l.of("ben"))
		}
	})
}
