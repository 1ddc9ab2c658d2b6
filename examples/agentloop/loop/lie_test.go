package loop_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/examples/agentloop/loop"
)

// A failure is bounded like a result.
func TestRun_LongFailureIsLeftOut(t *testing.T) {
	t.Parallel()
	s := newShop()
	s.answers["notes.read"] = func(context.Context, string) (*agent.Result, error) {
		return nil, &agent.RetryError{
			Failure: agent.Failure{Tool: "notes.read", Code: "busy", Message: strings.Repeat("x", 70_000), FromServer: true, Attempts: 1},
		}
	}
	task := taskOf(playing(wants(`notes.read {}`)), s)
	state, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.True(t, state.Seen.Injectable, "the model has read a text of the server")
	for _, m := range state.Messages {
		assert.LessOrEqual(t, len(m.Text), 500)
		if m.Role == loop.RoleTool {
			assert.Contains(t, m.Text, "busy")
		}
	}
}

func TestRun_SaveThatNeverReturnsEndsTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		task := taskOf(playing(), newShop())
		task.Save = func(ctx context.Context, _ loop.State) error {
			<-ctx.Done()
			return ctx.Err()
		}
		start := time.Now()
		_, err := loop.Run(t.Context(), task)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 30*time.Second, time.Since(start))
	})
}
