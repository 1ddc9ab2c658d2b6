package agent_test

import (
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
)

func ExampleContinue() {
	// Before the call: the record goes to where it survives the process.
	tool, key := agent.Tool{Name: "invoices_create"}, agent.KeyOf("task 7", "invoices_create", json.RawMessage(`{"total":"75.00"}`))
	stored, err := json.Marshal(tool.Sent(key))
	if err != nil {
		return
	}

	// After a restart: with the key of the first attempt, if that is safe.
	var sent agent.SentCall
	if json.Unmarshal(stored, &sent) == nil {
		_ = agent.Continue(sent) // an option of Agent.Call
	}
}

const managedWriting = writing + `,"idempotency":{"mode":"managed","clientKey":true,"retentionSeconds":3600}`

// A call that another process sent is repeated only if that is safe, and every
// failure that proves nothing leaves its outcome open.
func TestContinue_RepeatsOnlyWhatIsSafe(t *testing.T) {
	t.Parallel()
	lost := func(int, client.CallParams) (string, error) { return "", errors.New("cut") }
	done := func(int, client.CallParams) (string, error) { return ok("done"), nil }
	refused := func(int, client.CallParams) (string, error) {
		return failing("no", `"code":"permission_denied","class":"fatal"`), nil
	}
	tests := map[string]struct {
		before, after string // the definition of the tool; empty: it is not listed any more
		later         time.Duration
		arguments     string
		answer        func(int, client.CallParams) (string, error)
		sent          bool
		code          string // of a FatalError; empty: success
	}{
		"a write that is deduplicated": {contracted("a.b", managedWriting), contracted("a.b", managedWriting), 0, `{}`, done,
			true, ""},
		"an answer that is lost again": {contracted("a.b", managedWriting), contracted("a.b", managedWriting), 0, `{}`, lost,
			true, contract.CodeOutcomeUnknown},
		"a refusal, which proves nothing": {contracted("a.b", managedWriting), contracted("a.b", managedWriting), 0, `{}`,
			refused, true, contract.CodeOutcomeUnknown},
		"a write that the server has forgotten": {contracted("a.b", managedWriting), contracted("a.b", managedWriting), time.Hour, `{}`,
			done, false, contract.CodeOutcomeUnknown},
		"another write": {contracted("a.b", writing), contracted("a.b", writing), 0, `{}`, done, false,
			contract.CodeOutcomeUnknown},
		"a read": {contracted("a.b", reading), contracted("a.b", reading), time.Hour, `{}`, done, true,
			""},
		"a tool without a contract": {hinted("a.b", `"idempotentHint":true`), hinted("a.b", `"idempotentHint":true`), 0,
			`{}`, done, false, contract.CodeOutcomeUnknown},
		"a tool that promises more than before": {contracted("a.b", writing), contracted("a.b", managedWriting), 0, `{}`, done, false,
			contract.CodeOutcomeUnknown},
		"a tool that is gone": {contracted("a.b", managedWriting), "", 0, `{}`, done, false, contract.CodeOutcomeUnknown},
		"arguments that are none": {contracted("a.b", managedWriting), contracted("a.b", managedWriting), 0, `[]`, done, false,
			contract.CodeOutcomeUnknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var keys []any
				f := &fake{tools: []string{tt.before}, answer: func(n int, p client.CallParams) (string, error) {
					keys = append(keys, p.Meta[contract.MetaKeyIdempotencyKey])
					return tt.answer(n, p)
				}}
				tool, listed := connect(t, f).Tool("a.b")
				require.True(t, listed)
				stored, err := json.Marshal(tool.Sent("the key"))
				require.NoError(t, err)

				time.Sleep(tt.later)
				f.tools = []string{}
				if tt.after != "" {
					f.tools = []string{tt.after}
				}
				var sent agent.SentCall
				require.NoError(t, json.Unmarshal(stored, &sent))
				_, err = connect(t, f, withLimits(agent.Limits{Attempts: 1})).Call(t.Context(), "a.b", json.RawMessage(tt.arguments),
					agent.Continue(sent), agent.Approved())
				assert.Equal(t, tt.sent, f.calls.Load() > 0)
				if tt.code == "" {
					require.NoError(t, err)
				} else {
					assert.Equal(t, tt.code, fatalOf(t, err).Code)
				}
				for _, key := range keys {
					assert.Equal(t, "the key", key)
				}
			})
		})
	}
}

// A server knows a call again only by its key, for as long as it remembers it.
func TestContinue_SendsNothingThatTheServerDoesNotKnowAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		key     string
		later   time.Duration
		connect []option
		call    []agent.CallOption
	}{
		"a record without a key": {},
		"another key":            {key: "the key", call: []agent.CallOption{agent.WithKey("other")}},
		"a forgotten write of a server with true hints": {key: "the key", later: time.Hour,
			connect: []option{withTrustedHints()}},
		"a record of the future": {key: "the key", later: -time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &fake{tools: []string{contracted("a.b", managedWriting)}, answer: func(int, client.CallParams) (string, error) {
					return ok("done"), nil
				}}
				a := connect(t, f, tt.connect...)
				tool, listed := a.Tool("a.b")
				require.True(t, listed)
				sent := tool.Sent(tt.key)
				sent.At = sent.At.Add(-tt.later)
				options := append([]agent.CallOption{agent.Continue(sent), agent.Approved()}, tt.call...)
				_, err := a.Call(t.Context(), "a.b", json.RawMessage(`{}`), options...)
				assert.Equal(t, contract.CodeOutcomeUnknown, fatalOf(t, err).Code)
				assert.Zero(t, f.calls.Load())
			})
		})
	}
}

func TestKeyOf_IsOneForEqualCallsOfARun(t *testing.T) {
	t.Parallel()
	key := agent.KeyOf("run", "a.b", json.RawMessage(`{"a":1,"b":2}`))
	assert.Equal(t, key, agent.KeyOf("run", "a.b", json.RawMessage(`{ "b": 2, "a": 1.0 }`)))
	for _, other := range []string{
		agent.KeyOf("other", "a.b", json.RawMessage(`{"a":1,"b":2}`)),
		agent.KeyOf("run", "a.c", json.RawMessage(`{"a":1,"b":2}`)),
		agent.KeyOf("run", "a.b", json.RawMessage(`{"a":1,"b":3}`)),
	} {
		assert.NotEqual(t, key, other)
	}
}
