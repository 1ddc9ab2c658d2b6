package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/examples/agentloop/loop"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func ExampleRun() {
	notes := newShop() // in a program: an agent, from agent.Connect
	report, err := loop.Run(context.Background(), loop.Task{
		Model:   playing(wants(`notes.read {"id":1}`), wants(`notes.write {"text":"hello"}`)),
		Callers: []loop.Caller{notes},
		Policy:  agent.Policy{Accept: agent.AcceptContracts, MaxRisk: risk.Medium},
		Prompt:  "Greet me in a note.",
		Events: func(e loop.Event) {
			if e.Kind == loop.EventObserved {
				fmt.Println(e.Call.Tool, e.Observed.Status)
			}
		},
	})
	fmt.Println(report.Text, err)
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
	report, err := loop.Run(t.Context(), task)
	var f *agent.FatalError
	require.ErrorAs(t, err, &f)
	assert.Equal(t, "storage_unavailable", f.Code)
	assert.Empty(t, report.Text)
	assert.Equal(t, []string{`notes.write {"n":1}`, `notes.write {"n":2}`}, s.called(), "nothing is called after the fatal failure")
	assert.Equal(t, []string{
		"asking", "replied",
		`decided notes.write {"n":1} run confirmation.never`, `calling notes.write {"n":1}`,
		`observed notes.write {"n":1} error already_exists`,
		"asking", "replied",
		`decided notes.write {"n":2} run confirmation.never`, `calling notes.write {"n":2}`,
		`observed notes.write {"n":2} error storage_unavailable`,
		"ended",
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
	report, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, "done", report.Text)
	assert.Equal(t, []string{`notes.read {}`}, s.called())
	assert.Equal(t, 1, *asked, "the same call is not asked about again")
	assert.Contains(t, *events, `decided notes.write {"n":1} refuse run.declined`)
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
	task := taskOf(func(_ context.Context, c loop.Conversation) (loop.Turn, error) {
		for _, tool := range c.Tools {
			offered = append(offered, tool.Name)
		}
		return loop.Turn{Text: "done"}, nil
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
	task := taskOf(func(ctx context.Context, c loop.Conversation) (loop.Turn, error) {
		s.tools[1] = agent.Tool{Name: "notes.write"} // it lost its contract
		return turns(ctx, c)
	}, s)
	events := recordEvents(&task)
	_, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Empty(t, s.called())
	assert.Contains(t, *events, `decided notes.write {} refuse host.unattended`)
}

// Whatever the model does, the run ends, and its error names the bound.
func TestRun_AlwaysEnds(t *testing.T) {
	t.Parallel()
	always := func(t loop.Turn) loop.Model {
		return func(context.Context, loop.Conversation) (loop.Turn, error) { return t, nil }
	}
	n := 0
	counting := func(context.Context, loop.Conversation) (loop.Turn, error) {
		n++
		return wants(fmt.Sprintf(`notes.write {"n":%d}`, n)), nil
	}
	tests := []struct {
		name   string
		model  loop.Model
		limits loop.Limits
		want   loop.Limit
		most   int // calls that are made
	}{
		{name: "the same read for ever", model: always(wants(`notes.read {}`)), want: loop.LimitTurns, most: 20},
		{name: "the same write for ever", model: always(wants(`notes.write {}`)), want: loop.LimitMistakes, most: 1},
		{name: "another write each turn", model: counting, limits: loop.Limits{Calls: 7}, want: loop.LimitCalls, most: 7},
		{name: "a call that always fails", model: always(wants(`notes.fail {}`)), want: loop.LimitMistakes, most: 3},
		{name: "unknown tools", model: always(wants(`notes.wirte {}`)), want: loop.LimitMistakes},
		{name: "a tool that is not offered", model: always(wants(`notes.export {}`)), want: loop.LimitMistakes},
		{name: "arguments that are no JSON", model: always(wants(`notes.write {"n":`)), want: loop.LimitMistakes},
		{name: "arguments that are a list", model: always(wants(`notes.write [1]`)), want: loop.LimitMistakes},
		{
			name: "a thousand calls in a turn", model: always(wants(slices.Repeat([]string{`notes.read {}`}, 1000)...)),
			limits: loop.Limits{Turns: 1}, want: loop.LimitTurns, most: 16,
		},
		{
			name: "tokens", model: always(loop.Turn{Calls: wants(`notes.read {}`).Calls, Usage: loop.Usage{Tokens: 400}}),
			limits: loop.Limits{Tokens: 1000}, want: loop.LimitTokens, most: 3,
		},
		{
			name:  "tokens that the model does not count",
			model: always(wants(`notes.read {"q":"` + strings.Repeat("x", 3000) + `"}`)), limits: loop.Limits{Tokens: 1000},
			want: loop.LimitTokens, most: 1,
		},
		{
			name: "cost", model: always(loop.Turn{Calls: wants(`notes.read {}`).Calls, Usage: loop.Usage{Cost: 3}}),
			limits: loop.Limits{Cost: 5}, want: loop.LimitCost, most: 2,
		},
		{
			name: "a negative usage", model: always(loop.Turn{
				Calls: wants(`notes.read {}`).Calls, Usage: loop.Usage{Tokens: -1, Cost: -1},
			}), limits: loop.Limits{Turns: 3, Cost: 1}, want: loop.LimitTurns, most: 3,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop()
			s.tools = append(s.tools, shopTool("notes.fail", shopWrite))
			s.answers["notes.fail"] = func(context.Context, string) (*agent.Result, error) {
				return nil, retryAnswer("notes.fail", "unavailable")
			}
			task := taskOf(tt.model, s)
			task.Limits = tt.limits
			events := recordEvents(&task)
			report, err := loop.Run(t.Context(), task)
			var limit *loop.LimitError
			require.ErrorAs(t, err, &limit)
			assert.Equal(t, tt.want, limit.Limit)
			assert.Len(t, s.called(), tt.most)
			assert.Equal(t, "ended", (*events)[len(*events)-1])
			assertObserved(t, report.State, true)
		})
	}
}

// assertObserved checks that each call of the conversation has one observation.
func assertObserved(t *testing.T, s loop.State, mayEnd bool) {
	t.Helper()
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

func TestRun_AModelThatNeverAnswersEndsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		defer close(stuck)
		task := taskOf(func(context.Context, loop.Conversation) (loop.Turn, error) { // it ignores its context
			<-stuck
			return loop.Turn{}, nil
		}, newShop())
		begin := time.Now()
		_, err := loop.Run(t.Context(), task)
		var limit *loop.LimitError
		require.ErrorAs(t, err, &limit)
		assert.Equal(t, loop.LimitTurnTime, limit.Limit)
		assert.Equal(t, 2*time.Minute, time.Since(begin))
	})
}

func TestRun_ACallThatNeverAnswersEndsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		defer close(stuck)
		s := newShop()
		s.answers["notes.write"] = func(context.Context, string) (*agent.Result, error) {
			<-stuck
			return succeeded("notes.write"), nil
		}
		task := taskOf(playing(wants(`notes.write {}`)), s)
		task.Limits.Time = time.Minute
		report, err := loop.Run(t.Context(), task)
		var limit *loop.LimitError
		require.ErrorAs(t, err, &limit)
		assert.Equal(t, loop.LimitTime, limit.Limit)
		var f *agent.FatalError
		require.ErrorAs(t, err, &f)
		assert.Equal(t, contract.CodeOutcomeUnknown, f.Code)
		require.Len(t, report.State.Sent, 1)
		assert.Contains(t, report.State.Sent, report.State.Messages[0].Calls[0].ID)
	})
}

func TestRun_PanicsAndErrorsOfTheModelEndTheRun(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, model := range []loop.Model{
		func(context.Context, loop.Conversation) (loop.Turn, error) { panic("broken") },
		func(context.Context, loop.Conversation) (loop.Turn, error) { return loop.Turn{}, broken },
	} {
		_, err := loop.Run(t.Context(), taskOf(model, newShop()))
		var failed *loop.ModelError
		assert.ErrorAs(t, err, &failed)
	}
	_, err := loop.Run(t.Context(), loop.Task{})
	assert.Error(t, err, "no model")
	_, err = loop.Run(t.Context(), loop.Task{Model: playing(), Callers: []loop.Caller{newShop(), newShop()}})
	assert.Error(t, err, "two callers with one name")
}

func TestRun_APanicOfACallerLeavesTheOutcomeOpen(t *testing.T) {
	t.Parallel()
	s := newShop()
	s.answers["notes.write"] = func(context.Context, string) (*agent.Result, error) { panic("broken") }
	_, err := loop.Run(t.Context(), taskOf(playing(wants(`notes.write {}`)), s))
	var f *agent.FatalError
	require.ErrorAs(t, err, &f)
	assert.Equal(t, contract.CodeOutcomeUnknown, f.Code)
}

func TestRun_APanicOfTheHostCountsAsNoAnswer(t *testing.T) {
	t.Parallel()
	s := newShop()
	task := taskOf(playing(wants(`notes.write {}`)), s)
	task.Policy = agent.Policy{}
	task.Host = agent.Host{Ask: func(context.Context, agent.Question) (agent.Answer, error) { panic("broken") }}
	_, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Empty(t, s.called())
}

// Reads meet at a barrier that only parallel calls can pass; writes never
// overlap with anything.
func TestRun_ReadsRunBesideEachOtherAndWritesAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShop()
		var mu sync.Mutex
		running, most := map[string]int{}, map[string]int{}
		enter := func(kind string) func() {
			mu.Lock()
			defer mu.Unlock()
			running[kind]++
			most[kind] = max(most[kind], running[kind])
			if running["write"] > 0 {
				most["overlap"] = max(most["overlap"], running["write"]+running["read"])
			}
			return func() {
				mu.Lock()
				defer mu.Unlock()
				running[kind]--
			}
		}
		s.answers["notes.read"] = func(context.Context, string) (*agent.Result, error) {
			defer enter("read")()
			time.Sleep(time.Second) // of the bubble: all that can run beside it, does
			return succeeded("notes.read"), nil
		}
		s.answers["notes.write"] = func(context.Context, string) (*agent.Result, error) {
			defer enter("write")()
			time.Sleep(time.Second)
			return succeeded("notes.write"), nil
		}
		task := taskOf(playing(wants(`notes.read {"n":1}`, `notes.read {"n":2}`, `notes.read {"n":3}`,
			`notes.write {"n":1}`, `notes.write {"n":2}`, `notes.read {"n":4}`, `notes.read {"n":5}`)), s)
		_, err := loop.Run(t.Context(), task)
		require.NoError(t, err)
		assert.Equal(t, map[string]int{"read": 3, "write": 1, "overlap": 1}, most)
	})
}

func TestRun_BoundsParallelCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		narrow := shopRead
		narrow.MaxConcurrent = 2
		s := &shop{
			tools:   []agent.Tool{shopTool("notes.read", shopRead), shopTool("notes.scan", narrow)},
			answers: map[string]func(context.Context, string) (*agent.Result, error){},
		}
		var mu sync.Mutex
		running, most := map[string]int{}, map[string]int{}
		for _, name := range []string{"notes.read", "notes.scan"} {
			s.answers[name] = func(context.Context, string) (*agent.Result, error) {
				mu.Lock()
				running[name]++
				running["all"]++
				most[name], most["all"] = max(most[name], running[name]), max(most["all"], running["all"])
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				running[name]--
				running["all"]--
				mu.Unlock()
				return succeeded(name), nil
			}
		}
		var calls []string
		for i := range 8 {
			calls = append(calls, fmt.Sprintf(`notes.scan {"n":%d}`, i), fmt.Sprintf(`notes.read {"n":%d}`, i))
		}
		task := taskOf(playing(wants(calls...)), s)
		task.Limits.Parallel = 5
		_, err := loop.Run(t.Context(), task)
		require.NoError(t, err)
		assert.Equal(t, 2, most["notes.scan"])
		assert.Equal(t, 5, most["all"])
	})
}

// Hints promise nothing, so reads by hints run one after the other.
func TestRun_ReadsByHintsRunInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{
			tools:   []agent.Tool{{Name: "notes.read", Contract: shopRead.Effective()}},
			answers: map[string]func(context.Context, string) (*agent.Result, error){},
		}
		running := 0
		s.answers["notes.read"] = func(context.Context, string) (*agent.Result, error) {
			running++
			assert.Equal(t, 1, running)
			time.Sleep(time.Second)
			running--
			return succeeded("notes.read"), nil
		}
		task := taskOf(playing(wants(`notes.read {"n":1}`, `notes.read {"n":2}`)), s)
		task.Policy.Accept = agent.AcceptHints
		_, err := loop.Run(t.Context(), task)
		require.NoError(t, err)
		assert.Len(t, s.called(), 2)
	})
}

func TestRun_EventsDoNotDependOnTime(t *testing.T) {
	t.Parallel()
	var first []string
	for seed := range 20 {
		synctest.Test(t, func(t *testing.T) {
			s := newShop()
			s.answers["notes.read"] = func(_ context.Context, arguments string) (*agent.Result, error) {
				time.Sleep(time.Duration((int(arguments[5])*(seed+3))%7) * time.Second)
				if arguments == `{"n":3}` {
					return nil, retryAnswer("notes.read", "invalid_input")
				}
				return succeeded("notes.read"), nil
			}
			task := taskOf(playing(wants(`notes.read {"n":1}`, `notes.read {"n":2}`, `notes.read {"n":3}`, `notes.read {"n":4}`)), s)
			task.State.ID = "run"
			events := recordEvents(&task)
			report, err := loop.Run(t.Context(), task)
			require.NoError(t, err)
			state, err := json.Marshal(report.State)
			require.NoError(t, err)
			*events = append(*events, string(state))
			if first == nil {
				first = *events
			}
			assert.Equal(t, first, *events)
		})
	}
}

// A call between reads that is refused is observed in its place.
func TestRun_ObservesCallsInTheirOrder(t *testing.T) {
	t.Parallel()
	task := taskOf(playing(wants(`notes.read {"n":1}`, `notes.read {"n":2}`, `notes.read {"n":`, `notes.read {"n":3}`,
		`notes.write {}`)), newShop())
	report, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	wanted := report.State.Messages[0].Calls
	require.Len(t, wanted, 5)
	for i, c := range wanted {
		assert.Equal(t, c.ID, report.State.Messages[i+1].CallID)
	}
}

func TestRun_AFatalFailureOfAReadWaitsForTheReadsBesideIt(t *testing.T) {
	t.Parallel()
	s := newShop()
	s.answers["notes.read"] = func(_ context.Context, arguments string) (*agent.Result, error) {
		if arguments == `{"n":1}` {
			return nil, fatalAnswer("notes.read", "internal_error")
		}
		return succeeded("notes.read"), nil
	}
	report, err := loop.Run(t.Context(), taskOf(playing(wants(`notes.read {"n":1}`, `notes.read {"n":2}`, `notes.write {}`)), s))
	var f *agent.FatalError
	require.ErrorAs(t, err, &f)
	assert.Len(t, s.called(), 2)
	assert.Len(t, report.State.Messages, 3)
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

func TestRun_WaitsForAPersonWhoDecidesElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, begin := newShop(), time.Now()
		s.answers["notes.write"] = pendingUntil(func() bool { return time.Since(begin) >= time.Minute })
		task := taskOf(playing(wants(`notes.write {}`)), s)
		_, err := loop.Run(t.Context(), task)
		require.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(begin))
		assert.Len(t, slices.Compact(s.keys), 1, "all tries have one key")
	})
}

// A call in the last moment of a run would have an unknown outcome.
func TestRun_WaitsNoLongerForAPersonThanItsContext(t *testing.T) {
	t.Parallel()
	for range 20 { // the order of two timers of one instant is open
		synctest.Test(t, func(t *testing.T) {
			s, begin := newShop(), time.Now()
			s.answers["notes.write"] = pendingUntil(func() bool { return false })
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := loop.Run(ctx, taskOf(playing(wants(`notes.write {}`)), s))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, 10*time.Second, time.Since(begin))
			assert.Len(t, s.called(), 2)
		})
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
	for limit, want := range map[time.Duration]time.Duration{-1: 0, 0: 10 * time.Minute, 12 * time.Second: 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s, begin, decided := newShop(), time.Now(), false
			s.answers["notes.write"] = pendingUntil(func() bool { return decided })
			task := taskOf(playing(wants(`notes.write {}`, `notes.read {}`)), s)
			task.Limits.Approval = limit
			events := recordEvents(&task)
			report, err := loop.Run(t.Context(), task)
			var reached *loop.LimitError
			require.ErrorAs(t, err, &reached)
			assert.Equal(t, loop.LimitApproval, reached.Limit)
			assert.Equal(t, want, time.Since(begin))
			assert.Contains(t, *events, `waiting notes.write {}`)
			decided, task.State = true, report.State
			report, err = loop.Run(t.Context(), task)
			require.NoError(t, err)
			assert.Equal(t, "done", report.Text)
			assert.Equal(t, `notes.read {}`, s.called()[len(s.called())-1])
			assertObserved(t, report.State, false)
		})
	}
}

func TestRun_LeavesOutAResultThatIsTooLong(t *testing.T) {
	t.Parallel()
	s := newShop()
	long := strings.Repeat("long ", 100)
	s.answers["notes.read"] = func(context.Context, string) (*agent.Result, error) {
		r := succeeded("notes.read")
		r.Text = long
		return r, nil
	}
	task := taskOf(playing(wants(`notes.read {}`)), s)
	task.Limits.ObservationBytes = 100
	report, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.NotContains(t, report.State.Messages[1].Text, "long")
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
	report, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, []string{`notes.read {}`, `notes.share {"n":1}`}, s.called())
	assert.Equal(t, 1, *asked)
	assert.Equal(t, agent.Exposure{Injectable: true}, report.State.Seen)
}

func TestEvent_LogValueHasNoTexts(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	s := newShop()
	s.answers["notes.read"] = func(context.Context, string) (*agent.Result, error) {
		r := succeeded("notes.read")
		r.Text, r.Structured = secret, json.RawMessage(`{"a":"`+secret+`"}`)
		return r, nil
	}
	task := taskOf(playing(loop.Turn{Text: secret, Calls: wants(`notes.read {"a":"`+secret+`"}`, `notes.`+secret+` {}`).Calls}), s)
	var seen int
	task.Events = func(e loop.Event) {
		seen++
		assert.NotContains(t, e.LogValue().String(), secret, "%s", e.Kind)
	}
	_, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Greater(t, seen, 8)
}
