package contain_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/contain"
)

func TestDo_ReturnsHowTheFunctionEnded(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	ran := false
	require.NoError(t, contain.Do(func() { ran = true }))
	assert.True(t, ran)
	require.ErrorIs(t, contain.Do(runtime.Goexit), contain.ErrGoexit)
	p, ok := errors.AsType[*contain.PanicError](contain.Do(func() { panic(boom) }))
	require.True(t, ok)
	assert.Equal(t, boom, p.Value)
}
