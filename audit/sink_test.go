package audit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/audit"
)

func TestFuncIsASink(t *testing.T) {
	t.Parallel()
	var got audit.Event
	full := errors.New("disk full")
	var sink audit.Sink = audit.Func(func(_ context.Context, e audit.Event) error {
		got = e
		return full
	})
	assert.ErrorIs(t, sink.Write(t.Context(), fullEvent()), full)
	assert.Equal(t, fullEvent(), got)
	assert.Error(t, audit.Func(nil).Write(t.Context(), fullEvent()), "a nil function keeps nothing")
}
