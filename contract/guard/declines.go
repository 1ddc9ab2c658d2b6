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

const declinedLately = "a person declined this call, or several of this tool, a short while ago"

// declinedKeys name what a no is remembered under: this call, and its tool.
func declinedKeys(scope idempotency.Scope, arguments string) [2]idempotency.Key {
	return [2]idempotency.Key{scope.Key("declined\x00" + arguments), scope.Key("declines")}
}

// wasDeclined reports whether a person said no to this lately, or often enough
// to others like it. Where that cannot be found out the question is asked.
func (c *call) wasDeclined() bool {
	if c.principal.IsAnonymous() { // none locks out another
		return false
	}
	l := c.set.guard.ledger
	for i, key := range declinedKeys(c.scope(), c.exactArguments()) {
		most := [2]int64{1, maxDeclines}[i]
		count, err := ask(context.WithoutCancel(c.ctx), l, func(ctx context.Context) (int64, error) { return l.counter.Max(ctx, key) })
		if err == nil && count >= most {
			return true
		}
	}
	return false
}

// decline ends a question with a no.
func (c *call) decline() *Result {
	if c.principal.IsAnonymous() {
		return c.declined("")
	}
	l := c.set.guard.ledger
	for _, key := range declinedKeys(c.scope(), c.exactArguments()) {
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
