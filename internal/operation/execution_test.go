package operation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/operation"
)

// A process whose clock is wrong writes owners too, and their generations must
// not be forgotten: the key of an operation that was undone would be used again.
func TestExecutionOf_TellsTheGenerationWhateverTheClock(t *testing.T) {
	t.Parallel()
	id := [32]byte{1}
	for name, began := range map[string]time.Time{
		"now": time.Now(), "two days ahead": time.Now().Add(48 * time.Hour), "at the epoch": time.Unix(0, 0),
	} {
		x := operation.Execution{Generation: 3, Began: began, Ending: operation.Undone}
		got, ok := operation.ExecutionOf(x.Owner(id, "pay"), id, "pay")
		assert.True(t, ok, name)
		assert.EqualValues(t, 3, got.Generation, name)
		assert.Equal(t, operation.Undone, got.Ending, name)
		_, ok = operation.ExecutionOf(x.Owner(id, "pay"), id, "other")
		assert.False(t, ok, name)
	}
}

func TestParse_TakesOnlyWhatStringReturns(t *testing.T) {
	t.Parallel()
	text := operation.Operation{ID: [32]byte{1}, Generation: 1}.String()
	_, ok := operation.Parse(text)
	assert.True(t, ok)
	for _, other := range []string{
		text + "\n", text[:8] + "\r\n" + text[8:], text[:len(text)-1] + "F", text + "=", "OP_" + text[3:],
	} {
		_, ok := operation.Parse(other)
		assert.False(t, ok, "%q", other)
	}
}
