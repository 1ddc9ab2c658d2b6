//go:build unix

package outcomes_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// A lookup is what operations_get says about an operation.
type lookup struct {
	State        string `json:"state"`
	Tool         string `json:"tool"`
	RetryAfterMs int64  `json:"retryAfterMs"`

	id string
}

// lookUp asks a server about an operation, and keeps what it says.
func (o *order) lookUp(ctx context.Context, c *server, id string) lookup {
	found := lookup{id: id}
	if id == "" || c.old {
		return found
	}
	a := call(ctx, c.Client, "operations_get", map[string]string{"operationId": id})
	var result struct {
		Output *lookup `json:"structuredContent"`
	}
	result.Output = &found
	if a.err != nil || a.Code == contract.CodeRateLimitExceeded || a.Code == contract.CodeUnavailable {
		return found // it is not an answer
	}
	_ = json.Unmarshal(a.text, &result) // without a state it is untrue
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lookups = append(o.lookups, found)
	return found
}

// lookUpAll asks a server about all operations that the answers have named.
func (o *order) lookUpAll(t *testing.T, c *server) {
	t.Helper()
	names := map[string]bool{}
	for _, a := range o.answers {
		if id := a.OperationID; !names[id] {
			names[id] = true
			o.lookUp(t.Context(), c, id)
		}
	}
}

// textOf returns what a model reads of an answer.
func textOf(t *testing.T, a *answer) string {
	t.Helper()
	var result struct {
		Content []struct{ Text string } `json:"content"`
	}
	require.NoError(t, json.Unmarshal(a.text, &result))
	var all []string
	for _, c := range result.Content {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n")
}

// TestCrash_AUserLearnsWhetherAnOrderWentThrough is what a user of a host does:
// a call, whose server is killed, a new session with another server, and the
// question whether the order went through. The model repeats the call, and may
// look it up.
func TestCrash_AUserLearnsWhetherAnOrderWentThrough(t *testing.T) {
	t.Parallel()
	kinds := sample(file)
	inShops(t, kinds, func(t *testing.T, s *shop) {
		for at, last := range map[point]contract.Status{atEffect: contract.StatusReplayed, atHandler: contract.StatusOK} {
			t.Run(string(at), func(t *testing.T) {
				t.Parallel()
				o := s.order("the user's order "+string(at), plan{kill: at})
				lost := o.place(t.Context(), s.start(t, &process{Point: at, Terms: terms{Ask: void}}))
				require.Error(t, lost.err)

				session := s.start(t, &process{Terms: terms{Ask: void}})
				again := o.place(t.Context(), session)
				require.Equal(t, contract.CodeKeyInProgress, again.Code, "%s", o)
				assert.Contains(t, textOf(t, again), again.OperationID, "the model can look it up")
				assert.Equal(t, "running", o.lookUp(t.Context(), session, again.OperationID).State)
				o.awaitLease(t)
				assert.Equal(t, "unknown", o.lookUp(t.Context(), session, again.OperationID).State)
				answered := o.place(t.Context(), session)
				assert.Equal(t, last, answered.Status, "%s", o)
				t.Logf("%s:\n%s", at, textOf(t, answered))
				assert.Equal(t, at == atEffect, answered.OperationID == again.OperationID, "another run has another name")
				assert.Equal(t, "succeeded", o.lookUp(t.Context(), session, answered.OperationID).State)
				want := "succeeded"
				if at == atHandler {
					want = "unknown" // nothing keeps why the call runs in another generation
				}
				assert.Equal(t, want, o.lookUp(t.Context(), session, again.OperationID).State)
				o.isPlacedOnce(t)
			})
		}
	})
}
