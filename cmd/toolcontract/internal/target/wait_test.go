package target

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestWait_RetriesUntilTheTimeout(t *testing.T) {
	t.Parallel()
	slow := func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
		defer cancel()
		<-ctx.Done()
		return ctx.Err()
	}
	tries := 0
	server := Target{Timeout: time.Minute}
	assert.NoError(t, server.wait(t.Context(), func(ctx context.Context) error {
		if tries++; tries < 3 {
			return slow(ctx)
		}
		return nil
	}))
	assert.Equal(t, 3, tries)
	server.Timeout = 35 * time.Millisecond
	assert.ErrorIs(t, server.wait(t.Context(), slow), context.DeadlineExceeded)
	gone := errors.New("gone")
	assert.ErrorIs(t, server.wait(t.Context(), func(context.Context) error { return gone }), gone, "it would fail again")
}
