package guard

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/store"
)

// A no is remembered: the same call is not asked about again, and a principal
// who said no to several calls of a tool is not asked about that tool.
const (
	declineMemory = 10 * time.Minute
	maxDeclines   = 3
)

const kindDeclined = "declined"

const declinedLately = "a person declined this call, or several of this tool, a short while ago"

// What a person is asked about: whether a call may happen, or to authenticate
// for it. A no to one is none to the other.
const (
	aboutCall   = ""
	aboutStepUp = "step-up\x00"
)

// declinedKeys name what a no is remembered under: this call, and its tool.
func declinedKeys(scope store.Scope, about, arguments string) [2]store.Key {
	return [2]store.Key{scope.Key(about + "declined\x00" + arguments), scope.Key(about + "declines")}
}

// saidNo reports whether a person said no to this lately, or often enough to
// others like it. Where that cannot be found out the question is asked.
func (c *call) saidNo(about string) bool {
	if c.principal.IsAnonymous() { // none locks out another
		return false
	}
	l := c.set.guard.ledger
	for i, key := range declinedKeys(c.scope(), about, c.exactArguments()) {
		most := [2]int64{1, maxDeclines}[i]
		count, err := ask(context.WithoutCancel(c.ctx), l, func(ctx context.Context) (int64, error) { return l.store.Max(ctx, key) })
		if err == nil && count >= most {
			return true
		}
	}
	return false
}

// rememberNo keeps a no in mind.
func (c *call) rememberNo(about string) {
	if c.principal.IsAnonymous() {
		return
	}
	l := c.set.guard.ledger
	for _, key := range declinedKeys(c.scope(), about, c.exactArguments()) {
		_, err := ask(context.WithoutCancel(c.ctx), l, func(ctx context.Context) (int64, error) {
			return l.store.Add(ctx, key, kindDeclined, declineMemory)
		})
		if err != nil && c.cause == nil {
			c.cause = err
		}
	}
}

// decline ends a question with a no.
func (c *call) decline() *Result {
	c.rememberNo(aboutCall)
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
