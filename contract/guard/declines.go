package guard

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
)

// A no is remembered: the same call is not asked about again, and a principal
// who said no to several calls of a tool is not asked about that tool.
const (
	declineMemory = 10 * time.Minute
	maxDeclines   = 3
)

const kindDeclined = "declined"

// declinedKeys name what a no is remembered under: this call, and this tool.
func (c *call) declinedKeys() (same, tool idempotency.Key) {
	return c.scope().Key("declined\x00" + c.exactArguments()), c.scope().Key("declines")
}

// wasDeclined reports whether a person said no to this lately, or often enough
// to others like it. Where that cannot be found out the question is asked.
func (c *call) wasDeclined() bool {
	l := c.set.guard.ledger
	same, tool := c.declinedKeys()
	for key, most := range map[idempotency.Key]int64{same: 1, tool: maxDeclines} {
		count, err := ask(c.ctx, l, func(ctx context.Context) (int64, error) { return l.counter.Max(ctx, key) })
		if err == nil && count >= most {
			return true
		}
	}
	return false
}

// decline ends a question with a no.
func (c *call) decline() *Result {
	l := c.set.guard.ledger
	same, tool := c.declinedKeys()
	for _, key := range []idempotency.Key{same, tool} {
		_, err := ask(context.WithoutCancel(c.ctx), l, func(ctx context.Context) (int64, error) {
			return l.counter.Add(ctx, key, kindDeclined, declineMemory)
		})
		if err != nil && c.cause == nil {
			c.cause = err
		}
	}
	return c.declined("")
}

// declined answers that a person said no. A model tends to try again: the hint
// says what to do instead.
func (c *call) declined(message string) *Result {
	const hint = "Do not repeat the call. Ask the user what to do instead."
	r := c.failed(contract.CodeConfirmationDeclined, message)
	r.Outcome.Hint = hint
	return r
}
