package running_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/guard/internal/operatorlog"
	"github.com/toolcontract/toolcontract/guard/internal/running"
)

// A handler whose context ended may win the race against the guard, which ends
// the call for the same reason. Its error then says no more than the guard.
func TestHandle_AnErrorOfAnEndedContextIsItsEnd(t *testing.T) {
	t.Parallel()
	own := errors.New("own")
	for name, c := range map[string]struct {
		cause, err error
		kind       running.EndKind
	}{
		"a deadline":      {running.ErrTimeout, context.DeadlineExceeded, running.TimedOut},
		"a stopped clock": {running.ErrTimeout, fmt.Errorf("query: %w", context.Canceled), running.TimedOut},
		"a server closes": {running.ErrGivenUp, context.Canceled, running.GivenUp},
		"a lost record":   {running.ErrTakenOver, context.Canceled, running.Errored},
		"the caller left": {context.Canceled, context.Canceled, running.Errored},
		"an own error":    {running.ErrTimeout, own, running.Errored},
	} {
		ctx, end := context.WithCancelCause(t.Context())
		end(c.cause)
		ended := running.New(&operatorlog.Log{}).Handle(ctx, func(context.Context) (any, error) { return nil, c.err })
		assert.Equal(t, c.kind, ended.Kind, name)
	}
}
