package storetest

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

func checkClock(t *runner) {
	again := []func(c store.Claim) step{
		func(c store.Claim) step { return getting(c.Key) },
		claiming,
		func(c store.Claim) step { return renewing(c.Key, c.Owner, lapse) },
		func(c store.Claim) step { return renewing(c.Key, c.Owner, age) },
	}
	for _, put := range []situation{unstarted, started, unknown, completed, failed, resolved} {
		for i := range again {
			for _, end := range []time.Duration{lease, lapse, retention, age} {
				t.begin()
				c := put(t)
				t.run(again[i](c))
				t.advance(end - tick)
				t.run(getting(c.Key), claiming(t.rival(c)))
				t.advance(tick)
				t.run(getting(c.Key), claiming(t.rival(c)))
			}
		}
	}
	t.begin()
	n := t.nonce()
	counts := t.key()
	t.run(spending(n, t.owner()), adding(counts, wrongCode, n.TTL))
	t.advance(n.TTL - tick)
	t.run(spending(n, t.owner()), highest(counts))
	t.advance(tick)
	t.run(highest(counts), adding(counts, wrongCode, retention), spending(n, t.owner()), spending(n, t.owner()))
}

func checkSeparate(t *runner) {
	c := unstarted(t)
	n := store.Nonce{Key: c.Key, TTL: retention}
	counts := func() { t.run(adding(c.Key, wrongCode, retention), highest(c.Key), getting(c.Key)) }
	counts()
	t.run(spending(n, t.owner()), getting(c.Key), highest(c.Key), resetting(c.Key), getting(c.Key), spending(n, t.owner()))
	counts()
	t.run(releasing(c.Key, c.Owner), spending(n, t.owner()), highest(c.Key), claiming(c))
	counts()
	own := t.request()
	own.Nonce = store.Nonce{Key: own.Key, TTL: retention}
	own.Budget = store.Budget{Key: own.Key, Limit: 1}
	t.run(claiming(own), highest(own.Key), completing(outcome(own, store.Completed)), spending(own.Nonce, t.owner()))

	t.begin() // keys that differ in one part
	c = unstarted(t)
	t.run(spending(store.Nonce{Key: c.Key, TTL: retention}, t.owner()), adding(c.Key, wrongCode, retention))
	elsewhere := store.Key{Partition: t.digest(), ID: c.Key.ID}
	for _, key := range []store.Key{elsewhere, t.key()} {
		next := t.rival(c)
		next.Key = key
		t.run(getting(key), claiming(next), completing(outcome(next, store.Completed)), getting(c.Key))
		t.run(spending(store.Nonce{Key: key, TTL: retention}, t.owner()))
		t.run(adding(key, wrongCode, retention), resetting(key), highest(c.Key))
	}
}

// allOperations returns every operation, on a claim's record and on keys that
// nothing else uses.
func (t *runner) allOperations(c store.Claim) []step {
	n := t.nonce()
	counts := t.key()
	steps := append(updates(c), claiming(with(rerun(c), n)), getting(c.Key), resolving(c.Key, store.DidNotHappen))
	return append(steps,
		claiming(with(t.request(), n)), spending(n, c.Owner), adding(counts, wrongCode, retention), highest(counts), resetting(counts))
}

func checkContext(t *runner) {
	ctx, cancel := context.WithCancel(t.ctx)
	cancel()
	for _, put := range []situation{unstarted, abandoned, unknown} {
		t.begin()
		c := put(t)
		n := t.nonce()
		counts := t.countedTwice()
		t.expectRefused(ctx, nil, t.allOperations(c)...)
		t.expectRefused(ctx, nil, spending(n, c.Owner), claiming(with(t.request(), n)), resetting(counts),
			adding(counts, wrongCode, retention))
		t.run(spending(n, t.owner()), highest(counts))
	}
}

// aWhile is how long an operation waits for hanging storage.
const aWhile = 25 * time.Millisecond

func checkDeadline(t *runner) {
	c := unstarted(t)
	fresh := t.request()
	n := t.nonce()
	release := sync.OnceFunc(t.Hang())
	defer release()
	hanging := func(s step) reply {
		ctx, cancel := context.WithTimeout(t.ctx, aWhile)
		defer cancel()
		return t.perform(ctx, s)
	}
	for _, s := range t.allOperations(c) {
		hanging(s) // must return; whether it took effect is unknown
	}
	claimed, spent := hanging(claiming(fresh)), hanging(spending(n, fresh.Owner))
	release()
	if claimed.err == nil && claimed.claim.Status == store.Claimed &&
		t.perform(t.ctx, claiming(t.rival(fresh))).claim.Status == store.Claimed {
		t.broken("Claim: two owners are Claimed, the first while the storage hung")
	}
	if spent.err == nil && spent.spent && t.perform(t.ctx, spending(n, t.owner())).spent {
		t.broken("Spend: two owners spend a nonce, the first while the storage hung")
	}
	t.begin()
	t.run(claiming(t.request()), spending(t.nonce(), t.owner()), adding(t.key(), wrongCode, retention))
}

func checkInvalid(t *runner) {
	for _, put := range []situation{(*runner).request, unstarted, abandoned, resolved} {
		t.begin()
		c := put(t)
		t.expectRefused(t.ctx, store.ErrInvalid, t.invalid(c)...)
		n := t.nonce()
		wrong := with(t.request(), n)
		wrong.Lease = 0
		t.expectRefused(t.ctx, store.ErrInvalid, claiming(wrong))
		t.run(spending(n, t.owner()))
	}
}

// invalid returns requests that each break one rule about their fields.
func (t *runner) invalid(c store.Claim) []step {
	var (
		none      store.Key
		nobody    store.Owner
		elsewhere = store.Key{Partition: t.digest(), ID: t.digest()}
		counts    = t.key()
	)
	steps := []step{
		marking(none, c.Owner), marking(c.Key, nobody),
		renewing(none, c.Owner, lease), renewing(c.Key, nobody, lease), renewing(c.Key, c.Owner, 0), renewing(c.Key, c.Owner, -lease),
		releasing(none, c.Owner), releasing(c.Key, nobody), returning(store.Release{Key: c.Key, Owner: c.Owner, Nonce: elsewhere}),
		getting(none),
		resolving(none, store.Happened), resolving(c.Key, 0), resolving(c.Key, 42),
		spending(store.Nonce{}, c.Owner), spending(store.Nonce{TTL: lease}, c.Owner), spending(store.Nonce{Key: t.key()}, c.Owner),
		spending(store.Nonce{Key: t.key(), TTL: -lease}, c.Owner), spending(t.nonce(), nobody),
		adding(none, wrongCode, lease), adding(counts, wrongCode, 0), adding(counts, wrongCode, -lease),
		highest(none), resetting(none),
	}
	for _, change := range []func(c *store.Claim){
		func(c *store.Claim) { c.Key = none },
		func(c *store.Claim) { c.Owner = nobody },
		func(c *store.Claim) { c.Lease = 0 },
		func(c *store.Claim) { c.Lease = -lease },
		func(c *store.Claim) { c.Retention = 0 },
		func(c *store.Claim) { c.Retention = c.Lease - tick },
		func(c *store.Claim) { c.Nonce.TTL = lease },
		func(c *store.Claim) { c.Nonce.Key = t.key() },
		func(c *store.Claim) { c.Nonce = store.Nonce{Key: t.key(), TTL: -lease} },
		func(c *store.Claim) { c.Nonce = store.Nonce{Key: elsewhere, TTL: lease} },
		func(c *store.Claim) { c.Budget.Limit = 1 },
		func(c *store.Claim) { c.Budget.Key = counts },
		func(c *store.Claim) { c.Budget = store.Budget{Key: counts, Limit: -1} },
		func(c *store.Claim) { c.Budget = store.Budget{Key: elsewhere, Limit: 1} },
	} {
		wrong := rerun(c)
		change(&wrong)
		steps = append(steps, claiming(wrong))
	}
	for _, change := range []func(c *store.Completion){
		func(c *store.Completion) { c.Key = none },
		func(c *store.Completion) { c.Owner = nobody },
		func(c *store.Completion) { c.State = store.NoRecord },
		func(c *store.Completion) { c.State = store.InProgress },
		func(c *store.Completion) { c.State = 42 },
		func(c *store.Completion) { c.Forget = elsewhere },
	} {
		wrong := outcome(c, store.Completed)
		change(&wrong)
		steps = append(steps, completing(wrong))
	}
	return steps
}

func checkErrors(t *runner) {
	done, cancel := context.WithCancel(t.ctx)
	cancel()
	t.each(func(c store.Claim) {
		secrets := secrets(c)
		for _, attempt := range []struct {
			ctx   context.Context
			steps []step
		}{
			{t.ctx, t.invalid(c)}, {done, t.allOperations(c)}, {t.ctx, t.allOperations(t.rival(c))}, {t.ctx, t.allOperations(c)},
		} {
			for _, s := range attempt.steps {
				r := t.perform(attempt.ctx, s)
				if r.err == nil {
					continue
				}
				for text, name := range secrets {
					if strings.Contains(strings.ToLower(r.err.Error()), text) {
						t.broken("%s: the error holds %s", s.operation, name)
					}
				}
			}
		}
	})
}

// secrets maps each form in which an error could contain a part of a claim to
// the name of that part.
func secrets(c store.Claim) map[string]string {
	forms := map[string]string{}
	for name, bytes := range map[string][]byte{
		"the key": c.Key.ID[:], "the partition": c.Key.Partition[:], "the owner": c.Owner[:],
		"the fingerprint": c.Fingerprint[:], "the result": outcome(c, store.Completed).Result,
	} {
		for _, form := range []string{
			hex.EncodeToString(bytes), base64.RawStdEncoding.EncodeToString(bytes), base64.RawURLEncoding.EncodeToString(bytes),
			strings.Trim(fmt.Sprint(bytes), "[]"), //nolint:staticcheck // the list of numbers is a form too
			strings.Trim(strconv.Quote(string(bytes)), `"`), string(bytes),
		} {
			forms[strings.ToLower(form)] = name
		}
	}
	return forms
}

func checkFull(t *runner) {
	n := t.nonce()
	held := with(start(t.request()), n)
	t.run(claiming(held))
	kept := []store.Claim{held, unknown(t), completed(t), failed(t), resolved(t)}
	t.enter("Full")
	if err := t.Full(t.ctx); err != nil {
		t.fail("the harness could not fill the storage: %v", err)
	}
	t.dropped = true // results may go, records and nonces may not
	for range contenders {
		for _, s := range []step{claiming(t.request()), spending(t.nonce(), t.owner())} {
			t.expectRefused(t.ctx, store.ErrFull, s)
			if full, ok := errors.AsType[*store.FullError](t.perform(t.ctx, s).err); ok && full.RetryAfter <= 0 {
				t.broken("%s: RetryAfter of the FullError is not positive", s.operation)
			}
		}
	}
	for _, c := range kept {
		t.run(getting(c.Key), claiming(t.rival(c)), claiming(other(t.rival(c))))
	}
	t.run(spending(n, t.owner()), spending(n, held.Owner))
	t.advance(lapse)
	t.run(claiming(t.rival(held)), completing(outcome(held, store.Completed)))
}
