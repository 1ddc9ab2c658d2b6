package guard_test

import (
	"context"
	"encoding/json"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

// A clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newMemory(t *testing.T, opts ...store.MemoryOption) *store.Memory {
	t.Helper()
	m, err := store.NewMemory(opts...)
	require.NoError(t, err)
	return m
}

// byClientKey uses the client's key.
var byClientKey = contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}

// keyed deduplicates only the calls with a key of the client.
var keyed = contract.Idempotency{Mode: idempotency.Keyed}

// byArguments derives the key from all arguments.
var byArguments = contract.Idempotency{Mode: idempotency.Managed}

// managedPayer builds a managed medium-risk tool around f. A nil f only counts.
func (n *counter) managedPayer(name string, i contract.Idempotency, f func(context.Context,
	payInput) error) *contract.Builder[payInput, payOutput] {
	return contract.New(name, func(ctx context.Context, in payInput) (payOutput, error) {
		paid := n.runs.Add(1) * in.Pay.Amount
		if f == nil {
			return payOutput{paid}, nil
		}
		return payOutput{paid}, f(ctx, in)
	}).From(writing()).Idempotency(i)
}

// refusing makes calls with an unknown outcome refused.
func refusing(i contract.Idempotency) contract.Idempotency {
	i.OnUnknown = idempotency.Refuse
	return i
}

// callKeyed makes a call with a client key.
func (k *kit) callKeyed(p guard.Principal, tool, arguments, key string) *guard.Result {
	k.t.Helper()
	r, err := k.set.Call(as(k.t.Context(), p), guard.Request{Tool: tool, Arguments: json.RawMessage(arguments),
		IdempotencyKey: &key})
	require.NoError(k.t, err)
	k.complete(tool, r)
	return r
}

// replayOf asserts that second replays first, with a note of the guard after
// it.
func replayOf(t *testing.T, first, second *guard.Result) {
	t.Helper()
	require.Equal(t, contract.StatusReplayed, second.Outcome.Status, second.Text)
	replayedAt(t, second)
	want, got := *first, *second
	if got.Content = got.Content[:len(got.Content)-1]; len(got.Content) == 0 || want.Text == "" && len(want.Content) == 0 {
		got.Content = nil // an empty text is an item of its own if another item follows
	}
	require.NotEqual(t, want.Outcome.CallID, got.Outcome.CallID)
	want.Outcome.Status, want.Outcome.CallID = 0, ""
	got.Outcome.Status, got.Outcome.CallID = 0, ""
	require.Equal(t, want, got)
}

var noteTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// replayedAt asserts that the last item of a replay is the note of the guard,
// and returns the time in it. Zero: the note has no time.
func replayedAt(t *testing.T, r *guard.Result) time.Time {
	t.Helper()
	require.NotEmpty(t, r.Content)
	note, ok := r.Content[len(r.Content)-1].(contract.TextContent)
	require.True(t, ok)
	require.Contains(t, note.Text, "recorded result")
	require.NotContains(t, note.Text, "untrusted-content-")
	written := noteTime.FindString(note.Text)
	if written == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, written)
	require.NoError(t, err)
	return at
}

// anything returns a tool that returns out.
func anything[Out any](name string, out Out, i contract.Idempotency) (*contract.Tool, *counter) {
	n := &counter{}
	return contract.New(name, func(context.Context, empty) (Out, error) {
		n.runs.Add(1)
		return out, nil
	}).Description("Returns.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("mail:send").Idempotency(i).MustBuild(), n
}
