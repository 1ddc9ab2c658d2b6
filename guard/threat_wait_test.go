package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
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
)

// A directory is a principal function and an authorizer. Its answers change
// while a call waits for a person.
type directory struct {
	mu         sync.Mutex
	caller     guard.Principal
	err        error
	denied     error
	authorized guard.Principal // the last one
}

func (d *directory) Principal(context.Context) (guard.Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.caller, d.err
}

func (d *directory) authorize(_ context.Context, a guard.Action) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.authorized = a.Principal
	return d.denied
}

// A waitingKit has alice's calls that wait for a person.
type waitingKit struct {
	*kit

	directory
	counter

	approver  door
	meanwhile func(*directory) // what happens while the person decides
}

func newWaitingKit(t *testing.T, meanwhile func(*directory)) *waitingKit {
	t.Helper()
	k := &waitingKit{directory: directory{caller: alice}, approver: door{address: desk}, meanwhile: meanwhile}
	k.kit = newKit(t, []*contract.Tool{k.asking("pay.now").MustBuild(), k.steppingUp("pay.strongly").MustBuild()},
		guard.WithPrincipal(&k.directory), guard.WithAuthorizer(k.authorize),
		guard.WithPeople(guard.PeopleOptions{Approver: &k.approver, StepUpPage: (&page{}).address}))
	return k
}

// agrees is the person, who agrees to the call on the way that the question
// names.
func (k *waitingKit) agrees(t *testing.T, q *people.Question) string {
	t.Helper()
	k.mu.Lock()
	k.meanwhile(&k.directory)
	k.mu.Unlock()
	switch q.Key {
	case people.ApprovalKey:
		pending, _ := k.approver.last(t)
		k.decide(pending, true)
	case people.StepUpKey:
		require.NoError(t, k.guard.People().CompleteStepUp(t.Context(), q.ID, strong(alice)))
	}
	return confirmed
}

// within calls a tool as an older client, which shows forms or opens addresses
// while the call waits.
func (k *waitingKit) within(t *testing.T, tool string, forms bool) (*guard.Result, error) {
	t.Helper()
	req := guard.Request{Tool: tool, Arguments: json.RawMessage(validPay), Client: guard.Client{Session: "1"}}
	ask := func(_ context.Context, q people.Question) (json.RawMessage, error) {
		return json.RawMessage(k.agrees(t, &q)), nil
	}
	if req.AskURL = ask; forms {
		req.Ask = ask
	}
	return k.set.Call(t.Context(), req)
}

// inRounds calls a tool as a client that carries its answer in another call,
// which then waits for the person.
func (k *waitingKit) inRounds(t *testing.T, tool string) (*guard.Result, error) {
	t.Helper()
	req := guard.Request{Tool: tool, Arguments: json.RawMessage(validPay), Client: guard.Client{RoundsURL: true}}
	asked, err := k.set.Call(t.Context(), req)
	require.NoError(t, err)
	isQuestion(t, asked)
	req.State = asked.State
	req.Answers = map[string]json.RawMessage{asked.Question.Key: json.RawMessage(accepted)}
	go func() {
		time.Sleep(5*time.Second + 1)
		k.agrees(t, asked.Question) //nolint:testifylint // a failed assertion of it fails the test
	}()
	return k.set.Call(t.Context(), req)
}

// waysToWait are the ways in which a call waits for a person.
var waysToWait = map[string]func(*waitingKit, *testing.T) (*guard.Result, error){
	"a form within the call": func(k *waitingKit, t *testing.T) (*guard.Result, error) {
		t.Helper()
		return k.within(t, "pay.now", true)
	},
	"the page of the approver within the call": func(k *waitingKit, t *testing.T) (*guard.Result, error) {
		t.Helper()
		return k.within(t, "pay.now", false)
	},
	"the page of step-up within the call": func(k *waitingKit, t *testing.T) (*guard.Result, error) {
		t.Helper()
		return k.within(t, "pay.strongly", false)
	},
	"the page of the approver in rounds": func(k *waitingKit, t *testing.T) (*guard.Result, error) {
		t.Helper()
		return k.inRounds(t, "pay.now")
	},
	"the page of step-up in rounds": func(k *waitingKit, t *testing.T) (*guard.Result, error) {
		t.Helper()
		return k.inRounds(t, "pay.strongly")
	},
}

// The call gets the answer that a new call would get.
func TestThreat153_AccessThatWasLostWhileACallWaited(t *testing.T) {
	t.Parallel()
	for lost, c := range map[string]struct {
		meanwhile func(*directory)
		code      string
		class     contract.Class
		stage     string
	}{
		"a permission": {func(d *directory) { d.caller.Permissions = []string{"mail:read"} },
			contract.CodePermissionDenied, contract.ClassFatal, "admit"},
		"the authorizer's consent": {func(d *directory) { d.denied = errSecret },
			contract.CodePermissionDenied, contract.ClassFatal, "authorize"},
		"a valid token": {func(d *directory) { d.err = errSecret },
			contract.CodeUnauthenticated, contract.ClassFatal, "authenticate"},
		"its credentials": {func(d *directory) { d.caller = guard.Principal{} },
			contract.CodeUnauthenticated, contract.ClassFatal, "authenticate"},
		"the system that knows it": {func(d *directory) { d.err = guard.ErrUnavailable },
			contract.CodeUnavailable, contract.ClassRetryable, "authenticate"},
	} {
		for way, call := range waysToWait {
			t.Run(lost+", "+way, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					k := newWaitingKit(t, c.meanwhile)
					r, err := call(k, t)
					require.NoError(t, err)
					refused(t, r, c.code, c.class)
					again, err := k.set.Call(t.Context(), guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay)})
					require.NoError(t, err)
					assert.Equal(t, again.Text, r.Text, "a new call gets the same answer")
					assert.Equal(t, again.Outcome.MissingPermissions, r.Outcome.MissingPermissions)
					assert.Zero(t, k.runs.Load())
					e := k.events(audit.Terminal)[0]
					assert.Equal(t, c.stage, e.Stage)
					assert.Equal(t, audit.Deny, e.Decision)
					assert.Equal(t, "alice", e.Principal, "the log names the caller that waited")
				})
			})
		}
	}
}

// A person agrees to the call of one principal, and not to that of another.
func TestThreat153_AnotherPrincipalAfterTheWait(t *testing.T) {
	t.Parallel()
	for way, call := range waysToWait {
		for name, other := range map[string]func(*guard.Principal){
			"subject": func(p *guard.Principal) { p.Subject = "carol" },
			"tenant":  func(p *guard.Principal) { p.Tenant = "other" },
			"issuer":  func(p *guard.Principal) { p.Issuer = "other" },
		} {
			t.Run(way+", another "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					k := newWaitingKit(t, func(d *directory) { other(&d.caller) })
					r, err := call(k, t)
					require.NoError(t, err)
					refused(t, r, contract.CodeUnauthenticated, contract.ClassFatal)
					assert.Zero(t, k.runs.Load())
				})
			})
		}
	}
}

// A call whose caller keeps its access runs, as the caller that it is now.
func TestThreat153_CallerIsFoundAgainAfterTheWait(t *testing.T) {
	t.Parallel()
	for way, call := range waysToWait {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := newWaitingKit(t, func(d *directory) { d.caller.Permissions = append(d.caller.Permissions, "mail:all") })
				r, err := call(k, t)
				require.NoError(t, err)
				require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
				assert.EqualValues(t, 1, k.runs.Load())
				assert.Contains(t, k.authorized.Permissions, "mail:all")
			})
		})
	}
}

// An answer that is recorded, or a declined question, is no way around the
// permission either.
func TestThreat153_LostAccessComesBeforeWhatThePersonAnswered(t *testing.T) {
	t.Parallel()
	k := newWaitingKit(t, nil)
	r, err := k.set.Call(t.Context(), guard.Request{
		Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Client: guard.Client{
			Ask: func(context.Context, people.Question) (json.RawMessage, error) {
				k.mu.Lock()
				defer k.mu.Unlock()
				k.caller.Permissions = nil
				return json.RawMessage(declined), nil
			},
		},
	})
	require.NoError(t, err)
	refused(t, r, contract.CodePermissionDenied, contract.ClassFatal)
}

// While a call waits for its step-up, an equal call runs and is recorded.
func TestThreat153_NoReplayAfterTheWaitWithoutAccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, d := &counter{}, &directory{caller: alice}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).StepUp(demand).MustBuild()},
			guard.WithPrincipal(d), guard.WithPeople(guard.PeopleOptions{StepUpPage: (&page{}).address}))
		asked := sent(t, k.urlRound(payNow))
		go func() {
			time.Sleep(time.Second)
			d.mu.Lock()
			d.caller = strong(alice)
			d.mu.Unlock()
			assert.Equal(t, contract.StatusOK, k.urlRound(payNow).Outcome.Status)
			d.mu.Lock()
			d.caller.Permissions = nil
			d.mu.Unlock()
		}()
		r := k.urlRound(payNow.opened(asked.State, accepted))
		refused(t, r, contract.CodePermissionDenied, contract.ClassFatal)
		assert.NotContains(t, wire(t, r), "paid")
		assert.EqualValues(t, 1, n.runs.Load())
	})
}

// A step-up is demanded of the caller as it is after the confirmation.
func TestThreat153_StepUpReadsTheAuthenticationAfterTheWait(t *testing.T) {
	t.Parallel()
	n, d := &counter{}, &directory{caller: strong(alice)}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").StepUp(demand).MustBuild()}, guard.WithPrincipal(d))
	r, err := k.set.Call(t.Context(), guard.Request{
		Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Client: guard.Client{
			Ask: func(context.Context, people.Question) (json.RawMessage, error) {
				d.mu.Lock()
				defer d.mu.Unlock()
				d.caller.ACR = "pwd"
				return json.RawMessage(confirmed), nil
			},
		},
	})
	require.NoError(t, err)
	refused(t, r, contract.CodeStepUpRequired, contract.ClassFatal)
	assert.Zero(t, n.runs.Load())
}

// Calls whose tokens end while they wait use up no retry budget, which their
// caller would not get back with the next token.
func TestThreat153_TokensThatEndAreNoFailures(t *testing.T) {
	t.Parallel()
	k := newWaitingKit(t, func(d *directory) { d.err = errors.New("the token has expired") })
	for range 2 * guard.DefaultRetries {
		r, err := k.within(t, "pay.now", true)
		require.NoError(t, err)
		refused(t, r, contract.CodeUnauthenticated, contract.ClassFatal)
		k.mu.Lock()
		k.err = nil
		k.mu.Unlock()
	}
}

// A call that its arguments made weaker needs the permissions of the weaker
// contract, before the wait and after it.
func TestThreat153_AWeakerCallNeedsItsOwnPermissions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keeps []string
		code  string
	}{"held": {[]string{"mail:read"}, ""}, "lost": {[]string{"mail:send"}, contract.CodePermissionDenied}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, d := &counter{}, &directory{caller: bob}
			weaker := contract.Resolution{Effect: risk.HighRiskWrite, Risk: risk.High, Permissions: []string{"mail:read"}}
			tool := n.grave("pay.now").Resolve(contract.Least(weaker), byAmount(weaker)).MustBuild()
			k := newKit(t, []*contract.Tool{tool}, guard.WithPrincipal(d))
			r, err := k.set.Call(t.Context(), guard.Request{
				Tool: "pay.now", Arguments: json.RawMessage(weakPay),
				Client: guard.Client{
					Ask: func(context.Context, people.Question) (json.RawMessage, error) {
						d.mu.Lock()
						defer d.mu.Unlock()
						d.caller.Permissions = c.keeps
						return json.RawMessage(confirmed), nil
					},
				},
			})
			require.NoError(t, err)
			assert.Equal(t, c.code, r.Outcome.Code, r.Text)
		})
	}
}

// A forbidden tool does not exist for an agent.
func TestThreat153_APersonWhoIsAnAgentAfterTheWait(t *testing.T) {
	t.Parallel()
	n, d := &counter{}, &directory{caller: carol}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").Risk(risk.Forbidden).MustBuild()}, guard.WithPrincipal(d))
	_, err := k.set.Call(t.Context(), guard.Request{
		Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Client: guard.Client{
			Ask: func(context.Context, people.Question) (json.RawMessage, error) {
				d.mu.Lock()
				defer d.mu.Unlock()
				d.caller.Human = false
				return json.RawMessage(confirmed), nil
			},
		},
	})
	require.ErrorIs(t, err, guard.ErrUnknownTool)
	assert.Zero(t, n.runs.Load())
	assert.Equal(t, "lookup", k.events(audit.Terminal)[0].Stage)
}
