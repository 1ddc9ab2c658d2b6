package adapter_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// A program may make a server for each request, and nobody can close the guard
// that such a server has got by default.
func TestNewBelt_ItsOwnGuardEndsWithTheServer(t *testing.T) {
	t.Parallel()
	b, err := adapter.NewBelt(&struct{ name string }{"notes"}, "notes", nil)
	require.NoError(t, err)
	define := func() (adapter.Definition, error) { return adapter.Definition{}, nil }
	call := func() *adapter.CallResult {
		r, err := b.Call(t.Context(), "ping", 1, define, adapter.Request{},
			func(context.Context) (*adapter.CallResult, error) {
				return &adapter.CallResult{Passed: &struct{ Content []string }{}}, nil
			})
		require.NoError(t, err)
		return r
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		return call().Outcome.Status == contract.StatusError
	}, time.Minute, time.Millisecond)
	assert.Equal(t, contract.CodeUnavailable, call().Outcome.Code)
}
