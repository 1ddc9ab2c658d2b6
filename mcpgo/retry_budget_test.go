package mcpgo_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

// A model reads a file too early and too often. Then the file is there, and the
// same call reaches it after the delay of the answer.
func TestRetryBudget_OverTheWireAReadReachesAFileThatIsThereNow(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		var there atomic.Bool
		errMissing := contract.Fatal("file_missing", "There is no such file.")
		tool := contract.New("files.size", func(context.Context, empty) (addOut, error) {
			if !there.Load() {
				return addOut{}, errMissing
			}
			return addOut{Sum: 42}, nil
		}).Description("Returns the size of a file.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).
			Failures(errMissing).RetryBudget(2, 10*time.Minute).MustBuild()
		k, now := newTimedKit(t, tool)
		c := k.client(e, "alice")
		call := func() (contract.Outcome, bool) {
			t.Helper()
			r, err := callTool(t.Context(), c, "files.size", nil)
			require.NoError(t, err)
			return outcomeOf(t, r), r.IsError
		}
		for range 2 {
			o, _ := call()
			require.Equal(t, "file_missing", o.Code)
		}
		there.Store(true)
		for range 3 {
			o, _ := call()
			assert.Equal(t, contract.CodeRetryBudgetExhausted, o.Code)
			assert.Equal(t, contract.ClassRetryable, o.Class)
			assert.Equal(t, (5 * time.Minute).Milliseconds(), o.RetryAfterMs)
		}
		o, _ := call()
		now.advance(time.Duration(o.RetryAfterMs) * time.Millisecond)
		o, failed := call()
		assert.False(t, failed)
		assert.Equal(t, contract.StatusOK, o.Status)
	})
}

// A model repeats a write that fails. The last answer is final. Its text has
// the number of failures, their time and the end.
func TestRetryBudget_OverTheWireAWriteEndsInAFinalAnswer(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		n := &tools{}
		errFull := contract.Retryable("notes_full", "There is no room for a note.")
		tool := n.Note(func(context.Context, string) error { return errFull }).Failures(errFull).RetryBudget(2,
			10*time.Minute).MustBuild()
		k, now := newTimedKit(t, tool)
		c := k.client(e, "alice")
		for range 2 {
			r, err := callTool(t.Context(), c, "notes.write", closeNote)
			require.NoError(t, err)
			require.Equal(t, "notes_full", outcomeOf(t, r).Code)
		}
		now.advance(3 * time.Minute)
		r, err := callTool(t.Context(), c, "notes.write", closeNote)
		require.NoError(t, err)
		o := outcomeOf(t, r)
		assert.Equal(t, contract.CodeRetryBudgetExhausted, o.Code)
		assert.Equal(t, contract.ClassFatal, o.Class)
		assert.Zero(t, o.RetryAfterMs)
		for _, part := range []string{"2 times", "10m0s", "7m0s"} {
			assert.Contains(t, mcp.GetTextFromContent(r.Content[0]), part)
		}
		assert.EqualValues(t, 2, n.Notes.Load())
	})
}

// A clock is the clock of a store, for tests that do not wait.
type clock struct{ nanoseconds atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(0, c.nanoseconds.Load()) }

func (c *clock) advance(d time.Duration) { c.nanoseconds.Add(int64(d)) }

// newTimedKit returns a kit whose store has the returned clock.
func newTimedKit(t *testing.T, served ...*contract.Tool) (*kit, *clock) {
	t.Helper()
	now := &clock{}
	memory, err := store.NewMemory(store.WithClock(now.now))
	require.NoError(t, err)
	k := &kit{t: t, log: &audit.Recorder{}}
	k.guard, err = guard.New(guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)), guard.WithAudit(k.log), guard.WithStore(memory))
	require.NoError(t, err)
	k.server, err = mcpgo.NewServer("kit", "1.0.0", k.guard, asWritten(mcpgo.WithTools(served...))...)
	require.NoError(t, err)
	k.serveHTTP()
	t.Cleanup(func() { _ = k.guard.Close(context.WithoutCancel(t.Context())) })
	return k, now
}
