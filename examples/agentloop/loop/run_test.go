package loop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/agentloop/loop"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func ExampleRun() {
	notes := newShop() // in a program: an agent, from agent.Connect
	state, err := loop.Run(context.Background(), loop.Task{
		Model:   playing(wants(`notes.read {"id":1}`), wants(`notes.write {"text":"hello"}`)),
		Callers: []loop.Caller{notes},
		Policy:  agent.Policy{AcceptContracts: true, MaxRisk: risk.Medium},
		State:   loop.State{Messages: []loop.Message{{Role: loop.RoleUser, Text: "Greet me in a note."}}},
		Events: func(e loop.Event) {
			if e.Kind == loop.EventObserved {
				fmt.Println(e.Call.Tool, e.Observed.Status)
			}
		},
	})
	answer, _ := state.Answer()
	fmt.Println(answer, err)
	// Output:
	// notes.read ok
	// notes.write ok
	// done <nil>
}

func TestRun_RetryableFailuresAreObservationsAndFatalOnesEndTheRun(t *testing.T) {
	t.Parallel()
	s := newShop()
	s.answers["notes.write"] = func(_ context.Context, arguments string) (*agent.Result, error) {
		switch arguments {
		case `{"n":1}`:
			return nil, retryAnswer("notes.write", "already_exists")
		case `{"n":2}`:
			return nil, fatalAnswer("notes.write", "storage_unavailable")
		}
		return succeeded("notes.write"), nil
	}
	task := taskOf(playing(wants(`notes.write {"n":1}`), wants(`notes.write {"n":2}`, `notes.write {"n":3}`),
		wants(`notes.read {}`)), s)
	events := recordEvents(&task)
	state, err := loop.Run(t.Context(), task)
	var f *agent.FatalError
	require.ErrorAs(t, err, &f)
	assert.Equal(t, "storage_unavailable", f.Code)
	_, answered := state.Answer()
	assert.False(t, answered)
	assert.Equal(t, []string{`notes.write {"n":1}`, `notes.write {"n":2}`}, s.called(), "nothing is called after the fatal failure")
	assert.Equal(t, []string{
		"replied", `decided notes.write {"n":1} run confirmation.never`, `observed notes.write {"n":1} error already_exists`,
		"replied", `decided notes.write {"n":2} run confirmation.never`, `observed notes.write {"n":2} error storage_unavailable`,
	}, *events)
}

func TestRun_ADeclinedCallEndsAlone(t *testing.T) {
	t.Parallel()
	s := newShop()
	task := taskOf(playing(wants(`notes.write {"n":1}`, `notes.read {}`), wants(`notes.write {"n":1}`)), s)
	task.Policy = agent.Policy{Allow: []string{"notes.read"}} // asks for the rest
	var asked *int
	task.Host, asked = answeringAlike(agent.Answer{Action: agent.Decline})
	events := recordEvents(&task)
	state, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, "done", answerOf(t, state))
	assert.Equal(t, []string{`notes.read {}`}, s.called())
	assert.Equal(t, 1, *asked, "the same call is not asked about again")
	assert.Contains(t, *events, `decided notes.write {"n":1} refuse confirmation_declined`)
}

// A decline that the server relays counts like one of the host.
func TestRun_ADeclineAtTheServerIsRemembered(t *testing.T) {
	t.Parallel()
	s := newShop()
	s.answers["notes.write"] = func(context.Context, string) (*agent.Result, error) {
		return nil, retryAnswer("notes.write", contract.CodeConfirmationDeclined)
	}
	_, err := loop.Run(t.Context(), taskOf(playing(wants(`notes.write {}`), wants(`notes.write {}`)), s))
	require.NoError(t, err)
	assert.Len(t, s.called(), 1)
}

func TestRun_CallsThatAPersonMustSeeAreRefusedWithoutOne(t *testing.T) {
	t.Parallel()
	s := newShop()
	task := taskOf(playing(wants(`notes.write {}`)), s)
	task.Policy = agent.Policy{}
	events := recordEvents(&task)
	_, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Empty(t, s.called())
	assert.Contains(t, *events, `decided notes.write {} refuse host.unattended`)
}

func TestRun_AsksByTyping(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]int{"notes.delete": 1, " notes.delete ": 1, "notes.Delete": 0, "": 0} {
		s := &shop{tools: []agent.Tool{{Name: "notes.delete", Contract: contract.Document{Name: "notes.delete"}.Effective()}}}
		task := taskOf(playing(wants(`notes.delete {}`)), s)
		task.Policy.Typing = true
		task.Host = agent.Host{Ask: func(_ context.Context, q agent.Question) (agent.Answer, error) {
			assert.True(t, q.Typed())
			return q.Type(typed), nil
		}}
		_, err := loop.Run(t.Context(), task)
		require.NoError(t, err)
		assert.Len(t, s.called(), want, "%q", typed)
	}
}

func TestRun_OffersWhatThePolicyAllows(t *testing.T) {
	t.Parallel()
	s := newShop()
	s.tools = append(s.tools, shopTool("files.read", shopRead), shopTool("notes.purge", contract.Document{Effect: risk.Destructive}))
	var offered []string
	task := taskOf(func(_ context.Context, _ []loop.Message, tools []agent.Tool) (loop.Message, error) {
		for _, tool := range tools {
			offered = append(offered, tool.Name)
		}
		return loop.Message{Text: "done"}, nil
	}, s)
	task.Policy.Domains, task.Policy.MaxRisk = []string{"notes"}, risk.Medium
	_, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, []string{"notes.read", "notes.set", "notes.write"}, offered)
}

// A tool that changes while the model thinks is decided by what it is now.
func TestRun_DecidesByTheContractOfNow(t *testing.T) {
	t.Parallel()
	s := newShop()
	turns := playing(wants(`notes.write {}`))
	task := taskOf(func(ctx context.Context, messages []loop.Message, tools []agent.Tool) (loop.Message, error) {
		s.tools[1] = agent.Tool{Name: "notes.write"} // it lost its contract
		return turns(ctx, messages, tools)
	}, s)
	events := recordEvents(&task)
	_, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Empty(t, s.called())
	assert.Contains(t, *events, `decided notes.write {} refuse host.unattended`)
}

// Whatever the model does, the run ends.
func TestRun_AlwaysEnds(t *testing.T) {
	t.Parallel()
	n := 0
	counting := func(context.Context, []loop.Message, []agent.Tool) (loop.Message, error) {
		n++
		return wants(fmt.Sprintf(`notes.write {"n":%d}`, n)), nil
	}
	tests := []struct {
		name         string
		model        loop.Model
		turns, calls int
		want         error
		most         int // calls that are made
	}{
		{name: "the same read for ever", model: always(wants(`notes.read {}`)), want: loop.ErrTurns, most: 20},
		{name: "the same write for ever", model: always(wants(`notes.write {}`)), want: loop.ErrTurns, most: 1},
		{name: "another write each turn", model: counting, calls: 7, want: loop.ErrCalls, most: 7},
		{name: "a bound below zero", model: always(wants(`notes.read {}`)), turns: -1, want: loop.ErrTurns},
		{name: "unknown tools", model: always(wants(`notes.wirte {}`)), turns: 3, want: loop.ErrTurns},
		{name: "a tool that is not offered", model: always(wants(`notes.export {}`)), turns: 3, want: loop.ErrTurns},
		{name: "arguments that are no JSON", model: always(wants(`notes.write {"n":`)), want: loop.ErrTurns},
		{name: "arguments that are a list", model: always(wants(`notes.write [1]`)), want: loop.ErrTurns},
		{
			name: "a thousand calls in a turn", model: always(wants(slices.Repeat([]string{`notes.read {}`}, 1000)...)),
			want: loop.ErrCalls, most: 100,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop()
			task := taskOf(tt.model, s)
			task.Turns, task.Calls = tt.turns, tt.calls
			state, err := loop.Run(t.Context(), task)
			require.ErrorIs(t, err, tt.want)
			assert.Len(t, s.called(), tt.most)
			assertObserved(t, state, true)
		})
	}
}

// assertObserved checks that each call of the conversation has one observation.
func assertObserved(t assert.TestingT, s loop.State, mayEnd bool) {
	for i, m := range s.Messages {
		if m.Role != loop.RoleModel {
			continue
		}
		last := !slices.ContainsFunc(s.Messages[i+1:], func(m loop.Message) bool { return m.Role == loop.RoleModel })
		for _, c := range m.Calls {
			found := 0
			for _, o := range s.Messages[i+1:] {
				if o.Role == loop.RoleModel {
					break
				}
				if o.CallID == c.ID {
					found++
				}
			}
			if last && mayEnd {
				assert.LessOrEqual(t, found, 1)
				continue
			}
			assert.Equal(t, 1, found, "call %s of message %d", c.ID, i)
		}
	}
}

func TestRun_AnErrorOfTheModelEndsTheRun(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	task := taskOf(func(context.Context, []loop.Message, []agent.Tool) (loop.Message, error) {
		return loop.Message{}, broken
	}, newShop())
	_, err := loop.Run(t.Context(), task)
	require.ErrorIs(t, err, broken)
}

func TestRun_TwoCallersWithOneToolAreAnError(t *testing.T) {
	t.Parallel()
	_, err := loop.Run(t.Context(), loop.Task{Model: playing(), Callers: []loop.Caller{newShop(), newShop()}})
	assert.ErrorContains(t, err, "notes.read")
}

func TestRun_AnErrorThatIsNotOfAnAgentLeavesTheOutcomeOpen(t *testing.T) {
	t.Parallel()
	s := newShop()
	s.answers["notes.write"] = func(context.Context, string) (*agent.Result, error) { return nil, errors.New("broken") }
	_, err := loop.Run(t.Context(), taskOf(playing(wants(`notes.write {}`)), s))
	var f *agent.FatalError
	require.ErrorAs(t, err, &f)
	assert.Equal(t, contract.CodeOutcomeUnknown, f.Code)
}

func TestRun_AnErrorOfTheHostCountsAsDeclined(t *testing.T) {
	t.Parallel()
	s := newShop()
	task := taskOf(playing(wants(`notes.write {}`)), s)
	task.Policy = agent.Policy{}
	task.Host = agent.Host{Ask: func(_ context.Context, q agent.Question) (agent.Answer, error) {
		return q.Approve(), errors.New("broken")
	}}
	_, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Empty(t, s.called())
}

// A retryable failure can have had the effect.
func TestRun_AsksBeforeItRepeatsAFailureThatMayHaveHadItsEffect(t *testing.T) {
	t.Parallel()
	for possible, want := range map[bool]int{true: 1, false: 2} {
		s := newShop()
		s.tools = append(s.tools, shopTool("notes.share", shopWrite))
		s.answers["notes.share"] = func(context.Context, string) (*agent.Result, error) {
			return nil, &agent.RetryError{Failure: agent.Failure{
				Tool: "notes.share", Code: "half_done", Attempts: 1, EffectPossible: possible,
			}}
		}
		task := taskOf(playing(wants(`notes.share {}`), wants(`notes.share {}`)), s)
		var asked *int
		task.Host, asked = answeringAlike(agent.Answer{Action: agent.Decline})
		_, err := loop.Run(t.Context(), task)
		require.NoError(t, err)
		assert.Len(t, s.called(), want)
		assert.Equal(t, 2-want, *asked)
	}
}

// A call between reads that is refused is observed in its place.
func TestRun_ObservesCallsInTheirOrder(t *testing.T) {
	t.Parallel()
	task := taskOf(playing(wants(`notes.read {"n":1}`, `notes.read {"n":2}`, `notes.read {"n":`, `notes.read {"n":3}`,
		`notes.write {}`)), newShop())
	state, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	wanted := state.Messages[0].Calls
	require.Len(t, wanted, 5)
	for i, c := range wanted {
		assert.Equal(t, c.ID, state.Messages[i+1].CallID)
	}
}

func TestRun_AWriteThatSucceededIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	again := playing(wants(`notes.write {"a":1,"b":2}`, `notes.write {"b":2,"a":1.0}`),
		wants(`notes.write { "a": 1, "b": 2 }`), wants(`notes.write {"a":1,"b":3}`))
	t.Run("no person can be asked", func(t *testing.T) {
		t.Parallel()
		s := newShop()
		_, err := loop.Run(t.Context(), taskOf(again, s))
		require.NoError(t, err)
		assert.Equal(t, []string{`notes.write {"a":1,"b":2}`, `notes.write {"a":1,"b":3}`}, s.called())
	})
	t.Run("a person agrees", func(t *testing.T) {
		t.Parallel()
		s := newShop()
		task := taskOf(again, s)
		var asked *int
		task.Host, asked = answeringAlike(agent.Answer{Action: agent.Accept})
		_, err := loop.Run(t.Context(), task)
		require.NoError(t, err)
		assert.Len(t, s.called(), 4)
		assert.Equal(t, 2, *asked)
	})
	t.Run("the contract excludes a second effect", func(t *testing.T) {
		t.Parallel()
		s := newShop()
		task := taskOf(playing(wants(`notes.set {"a":1}`), wants(`notes.set {"a":1}`), wants(`notes.set {"a":2}`)), s)
		_, err := loop.Run(t.Context(), task)
		require.NoError(t, err)
		require.Len(t, s.keys, 3)
		assert.Equal(t, s.keys[0], s.keys[1], "equal calls of a run have one key")
		assert.NotEqual(t, s.keys[0], s.keys[2])
	})
}

// A float64 holds none of the odd integers beyond 2^53, so calls must not be
// compared as encoding/json reads them.
func TestThreat140_CallsThatDifferInALargeIntegerAreDifferentCalls(t *testing.T) {
	t.Parallel()
	const even, odd = `{"to":9007199254740992}`, `{"to":9007199254740993}`
	t.Run("their keys", func(t *testing.T) {
		t.Parallel()
		s := newShop()
		_, err := loop.Run(t.Context(), taskOf(playing(wants("notes.set "+even, "notes.set "+odd)), s))
		require.NoError(t, err)
		require.Len(t, s.keys, 2)
		assert.NotEqual(t, s.keys[0], s.keys[1])
	})
	t.Run("what became of them", func(t *testing.T) {
		t.Parallel()
		s := newShop()
		_, err := loop.Run(t.Context(), taskOf(playing(wants("notes.write "+even), wants("notes.write "+odd)), s))
		require.NoError(t, err)
		assert.Equal(t, []string{"notes.write " + even, "notes.write " + odd}, s.called())
	})
	t.Run("another spelling of what no server reads exactly", func(t *testing.T) {
		t.Parallel()
		s := newShop()
		const large = `{"to":123456789012345678901234567}`
		_, err := loop.Run(t.Context(), taskOf(playing(wants("notes.write "+large), wants("notes.write "+large[:1]+" "+large[1:])), s))
		require.NoError(t, err)
		assert.Equal(t, []string{"notes.write " + large}, s.called(), "it is the same call")
	})
}

func TestRun_TwoRunsHaveTheirOwnKeys(t *testing.T) {
	t.Parallel()
	s := newShop()
	for range 2 {
		_, err := loop.Run(t.Context(), taskOf(playing(wants(`notes.set {}`)), s))
		require.NoError(t, err)
	}
	assert.NotEqual(t, s.keys[0], s.keys[1])
}

// pendingUntil returns the answer of a server that asks a person elsewhere,
// until the person has decided.
func pendingUntil(decided func() bool) func(context.Context, string) (*agent.Result, error) {
	return func(context.Context, string) (*agent.Result, error) {
		if decided() {
			return succeeded("notes.write"), nil
		}
		return nil, &agent.RetryError{
			Failure: agent.Failure{Tool: "notes.write", Code: contract.CodeConfirmationPending, Attempts: 1}, After: 5 * time.Second,
		}
	}
}

// Only a contract promises that nothing has run before the person decides.
func TestRun_DoesNotRepeatACallWithoutAContractForAPerson(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{tools: []agent.Tool{{Name: "notes.write", Contract: shopWrite.Effective()}}}
		s.answers = map[string]func(context.Context, string) (*agent.Result, error){
			"notes.write": pendingUntil(func() bool { return false }),
		}
		task := taskOf(playing(wants(`notes.write {}`)), s)
		task.Policy.Allow = []string{"notes.write"}
		_, err := loop.Run(t.Context(), task)
		require.NoError(t, err)
		assert.Len(t, s.called(), 1)
	})
}

func TestRun_CanBeContinuedWhenThePersonHasDecided(t *testing.T) {
	t.Parallel()
	s, decided := newShop(), false
	s.answers["notes.write"] = pendingUntil(func() bool { return decided })
	task := taskOf(playing(wants(`notes.write {}`, `notes.read {}`)), s)
	events := recordEvents(&task)
	for range 2 {
		var err error
		task.State, err = loop.Run(t.Context(), task)
		require.ErrorIs(t, err, loop.ErrPending)
	}
	assert.Contains(t, *events, `observed notes.write {} error confirmation_pending`)
	decided = true
	state, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, "done", answerOf(t, state))
	assert.Equal(t, []string{"notes.write {}", "notes.write {}", "notes.write {}", "notes.read {}"}, s.called())
	assert.Equal(t, s.keys[0], s.keys[2], "all tries have one key")
	assertObserved(t, state, false)
}

func TestRun_LeavesOutAResultThatIsTooLong(t *testing.T) {
	t.Parallel()
	s := newShop()
	long := strings.Repeat("long ", 14_000)
	s.answers["notes.read"] = func(context.Context, string) (*agent.Result, error) {
		r := succeeded("notes.read")
		r.Text = long
		return r, nil
	}
	task := taskOf(playing(wants(`notes.read {}`)), s)
	state, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.NotContains(t, state.Messages[1].Text, "long")
}

// Results count from the next turn on, because the calls of a turn were written
// before its results were read.
func TestRun_AsksAfterContentThatMayCarryInstructions(t *testing.T) {
	t.Parallel()
	s := newShop()
	loud := contract.Document{
		Effect: risk.HighRiskWrite, Risk: risk.High, Confirmation: contract.ConfirmationNever, ContentTrust: trust.Trusted,
	}
	s.tools = append(s.tools, shopTool("notes.share", loud))
	s.answers["notes.read"] = func(context.Context, string) (*agent.Result, error) {
		r := succeeded("notes.read")
		r.Trust = trust.Untrusted
		return r, nil
	}
	task := taskOf(playing(wants(`notes.read {}`, `notes.share {"n":1}`), wants(`notes.share {"n":2}`)), s)
	var asked *int
	task.Host, asked = answeringAlike(agent.Answer{Action: agent.Decline})
	state, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, []string{`notes.read {}`, `notes.share {"n":1}`}, s.called())
	assert.Equal(t, 1, *asked)
	assert.True(t, state.Seen.Injectable)
	assert.False(t, state.Seen.Confidential)
}

// A call counts at once, even for later calls of the same turn.
func TestRun_AsksWhenTheSessionGoesTooFar(t *testing.T) {
	t.Parallel()
	s := newShop()
	task := taskOf(playing(wants(`notes.read {}`, `notes.write {"n":1}`, `notes.write {"n":2}`), wants(`notes.write {"n":3}`)), s)
	task.Policy.Allow, task.Policy.AskFrom = []string{"*"}, risk.Chain{Irreversible: 2}
	var shown []risk.Chain
	task.Host.Ask = func(_ context.Context, q agent.Question) (agent.Answer, error) {
		shown = append(shown, q.Chain)
		return agent.Answer{Action: agent.Decline}, nil
	}
	state, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, []string{`notes.read {}`, `notes.write {"n":1}`}, s.called())
	before := risk.Chain{Calls: 2, Irreversible: 1, Reversibility: risk.Irreversible, Level: risk.Medium}
	assert.Equal(t, []risk.Chain{before, before}, shown)
	assert.Equal(t, before, state.Seen.Chain)
}

// The chain of a run includes the calls from before a restart.
func TestRun_KeepsTheChainAfterARestart(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"the same callers": false, "new callers": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop()
			task := taskOf(playing(wants(`notes.write {"n":1}`), wants(`notes.write {"n":2}`)), s)
			task.Turns = 1
			var err error
			task.State, err = loop.Run(t.Context(), task)
			require.ErrorIs(t, err, loop.ErrTurns)
			if restart {
				task.Callers = []loop.Caller{newShop()}
			}
			task.Turns = 0
			state, err := loop.Run(t.Context(), task)
			require.NoError(t, err)
			assert.Equal(t, 2, state.Seen.Chain.Calls)
			assert.Equal(t, 2, state.Seen.Chain.Irreversible)
		})
	}
}
