package pages

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A flood of tries from many addresses delays another try by the longest delay
// at most, and only while the flood lasts.
func TestTries_AFloodDelaysNothingOnceItIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		all, err := newTries()
		require.NoError(t, err)
		var flood sync.WaitGroup
		for i := range 10_000 {
			flood.Go(func() { all.allow(t.Context(), fmt.Sprint(i)) })
		}
		flood.Wait()
		time.Sleep(2 * tryDelay)
		begun := time.Now()
		assert.True(t, all.allow(t.Context(), "a person"))
		assert.Zero(t, time.Since(begun))
	})
}
