package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/agentloop/loop"
)

// A noteServer is a server of one tool, notes_write, for a real agent.
type noteServer struct {
	mu       sync.Mutex
	contract string // the members of the tool's contract
	keys     []string
	killed   func() // ends the process of the agent, before the answer
	busy     bool   // every call fails
}

func (s *noteServer) Dial(context.Context, client.Person) (client.Session, error) { return s, nil }
func (s *noteServer) Modern() bool                                                { return true }
func (s *noteServer) Close() error                                                { return nil }

func (s *noteServer) ListTools(context.Context, string) (json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Appendf(nil, `{"tools":[{"name":"notes_write","inputSchema":{"type":"object"},"_meta":{%q:{"format":1,`+
		`"name":"notes.write",`+
		`"autonomous":true,"effect":"low-risk-write","risk":"medium","confirmation":"never","contentTrust":"trusted",%s}}}]}`,
		contract.MetaKeyContract, s.contract), nil
}

func (s *noteServer) CallTool(_ context.Context, p client.CallParams) (json.RawMessage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, _ := p.Meta[contract.MetaKeyIdempotencyKey].(string)
	s.keys = append(s.keys, key)
	if s.killed != nil {
		s.killed()
		return nil, errors.New("the connection is lost")
	}
	if s.busy {
		return json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"busy"}]}`), nil
	}
	return json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`), nil
}

// change gives the tool another contract.
func (s *noteServer) change(members string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contract = members
}

const (
	managed    = `"idempotency":{"mode":"managed","clientKey":true,"retentionSeconds":3600}`
	repeatless = `"idempotency":{"mode":"none"}`
)

func connect(t *testing.T, s *noteServer) *agent.Agent {
	t.Helper()
	a, err := agent.Connect(t.Context(), s, agent.Options{Limits: agent.Limits{Attempts: 1}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	return a
}

// The policy of a run decides about one definition of a tool. A definition that
// takes its place while a person decides is another tool.
func TestRun_ToolThatChangedWhileAPersonDecidesIsNotCalled(t *testing.T) {
	t.Parallel()
	s := &noteServer{contract: repeatless}
	a := connect(t, s)
	task := loop.Task{
		Model: playing(wants("notes_write {}")), Callers: []loop.Caller{a},
		Host: agent.Host{Ask: func(ctx context.Context, q agent.Question) (agent.Answer, error) {
			s.change(managed)
			return q.Approve(), a.Refresh(ctx)
		}},
	}
	var code string
	task.Events = func(e loop.Event) { code += e.Observed.Code }
	_, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, agent.CodeRefused, code)
	assert.Empty(t, s.keys)
}

// A new process, with a new agent, repeats an interrupted call with its key, or
// not at all.
func TestRun_ContinuesACallOfAnEarlierProcess(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before, after string
		repeated      bool
	}{
		"a repetition is safe":         {managed, managed, true},
		"a repetition is not safe":     {repeatless, repeatless, false},
		"the tool promises more later": {repeatless, managed, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, kill := context.WithCancel(t.Context())
			s, d := &noteServer{contract: tt.before, killed: kill}, &disk{}
			task := loop.Task{
				Model: playing(wants("notes_write {}")), Callers: []loop.Caller{connect(t, s)},
				Policy: agent.Policy{AcceptContracts: true},
				Save:   d.save,
			}
			_, err := loop.Run(ctx, task)
			require.Error(t, err)

			s.killed = nil
			s.change(tt.after)
			task.State, task.Callers = d.state(t), []loop.Caller{connect(t, s)}
			_, err = loop.Run(t.Context(), task)
			if tt.repeated {
				require.NoError(t, err)
				require.Len(t, s.keys, 2)
				assert.Equal(t, s.keys[0], s.keys[1])
				assert.NotEmpty(t, s.keys[0])
				return
			}
			var f *agent.FatalError
			require.ErrorAs(t, err, &f)
			assert.Equal(t, contract.CodeOutcomeUnknown, f.Code)
			assert.Len(t, s.keys, 1, "nothing is sent")
		})
	}
}

// The failure of the repeated call shows nothing about the first attempt.
func TestRun_AFailureOfARepeatedCallLeavesTheOutcomeOpen(t *testing.T) {
	t.Parallel()
	ctx, kill := context.WithCancel(t.Context())
	s := &noteServer{contract: managed, killed: kill}
	task := loop.Task{
		Model: playing(wants("notes_write {}")), Callers: []loop.Caller{connect(t, s)},
		Policy: agent.Policy{AcceptContracts: true},
	}
	state, err := loop.Run(ctx, task)
	require.Error(t, err)

	s.killed, s.busy = nil, true
	task.State, task.Callers = state, []loop.Caller{connect(t, s)}
	_, err = loop.Run(t.Context(), task)
	var f *agent.FatalError
	require.ErrorAs(t, err, &f)
	assert.Equal(t, contract.CodeOutcomeUnknown, f.Code)
	assert.Len(t, s.keys, 2)
}

// The short contract of a list has no failures, so none excludes an effect.
func TestRun_AsksBeforeItRepeatsAFailureThatAShortContractDoesNotList(t *testing.T) {
	t.Parallel()
	for failures, want := range map[string]int{
		``: 1,
		`,"failureModes":[{"code":"tool_retry","class":"retryable","by":"tool","effectPossible":true}]`: 1,
		`,"failureModes":[{"code":"tool_retry","class":"retryable","by":"tool"}]`:                       3,
	} {
		s := &noteServer{contract: repeatless + failures, busy: true}
		task := loop.Task{Callers: []loop.Caller{connect(t, s)}, Policy: agent.Policy{AcceptContracts: true},
			Model: playing(wants("notes_write {}"), wants("notes_write {}"), wants("notes_write {}"))}
		var asked *int
		task.Host, asked = answeringAlike(agent.Answer{Action: agent.Decline})
		_, err := loop.Run(t.Context(), task)
		require.NoError(t, err)
		assert.Len(t, s.keys, want, failures)
		assert.Equal(t, want == 1, *asked > 0, failures)
	}
}
