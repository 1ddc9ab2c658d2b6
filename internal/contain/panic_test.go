package contain_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/contain"
)

func contained(f func()) (err error) {
	defer contain.Recover(&err)
	f()
	return nil
}

func explode(values map[string]int) { values["secret"] = 4711 }

func TestRecover_ErrorHasTheValueAndTheStack(t *testing.T) {
	t.Parallel()
	err := contained(func() { explode(nil) })
	var panicked *contain.PanicError
	require.ErrorAs(t, err, &panicked)
	assert.Equal(t, "panic: assignment to entry in nil map", err.Error())
	assert.Contains(t, panicked.Stack, "contain_test.explode\n")
	assert.Contains(t, panicked.Stack, "panic_test.go:")
	assert.NotContains(t, panicked.Stack, "0x", "arguments are not in the stack")
	assert.True(t, strings.HasPrefix(panicked.Stack, "runtime.gopanic\n"), panicked.Stack)
}

func TestHidden_KeepsOnlyTheTextsOfTheRuntime(t *testing.T) {
	t.Parallel()
	var panicked *contain.PanicError
	require.ErrorAs(t, contained(func() { panic(errors.New("secret")) }), &panicked)
	assert.Equal(t, "panic: a value of type *errors.errorString", panicked.Hidden().Error())
	assert.Equal(t, panicked.Stack, panicked.Hidden().Stack)
	require.ErrorAs(t, contained(func() { explode(nil) }), &panicked)
	assert.Equal(t, "panic: assignment to entry in nil map", panicked.Hidden().Error())
}

func TestRecover_NothingHappensWithoutAPanic(t *testing.T) {
	t.Parallel()
	assert.NoError(t, contained(func() {}))
}

func TestRecover_APanicWithAnErrorIsNotThatError(t *testing.T) {
	t.Parallel()
	own := errors.New("own")
	assert.NotErrorIs(t, contained(func() { panic(own) }), own)
}
