package storetest

import (
	"time"

	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/store"
)

// Kinds of counted events.
const (
	wrongCode = "wrong_code"
	refused   = "refused"
)

func checkCount(rt *rapid.T, t *runner) {
	keys := []store.Key{t.key(), t.key()}
	kinds := rapid.OneOf(
		rapid.SampledFrom([]string{"", " ", "a", "A", "max", "ends", "0", "a\x00", "{a}", wrongCode, wrongCode + " "}),
		rapid.String(),
	)
	drawn := rapid.SliceOfN(kinds, 1, 4).Draw(rt, "kinds")
	for range rapid.IntRange(1, 15).Draw(rt, "steps") {
		key := rapid.SampledFrom(keys).Draw(rt, "key")
		if rapid.IntRange(0, 9).Draw(rt, "reset") == 0 {
			t.run(resetting(key))
			continue
		}
		t.run(adding(key, rapid.SampledFrom(drawn).Draw(rt, "kind"), retention))
	}
	t.run(highest(keys[0]), highest(keys[1]), highest(t.key()))
}

func checkWindow(t *runner) {
	key := t.key()
	t.run(adding(key, wrongCode, retention))
	for _, kind := range []string{wrongCode, refused, wrongCode} {
		t.advance(lapse)
		t.run(adding(key, kind, retention), adding(key, kind, 3*age))
	}
	t.advance(2 * lapse)
	t.run(highest(key), adding(key, refused, retention))

	t.begin()
	key = t.key()
	t.run(adding(key, wrongCode, retention))
	t.advance(3 * lapse)
	t.run(resetting(key), adding(key, wrongCode, retention))
	t.advance(3 * lapse)
	t.run(highest(key), adding(key, wrongCode, retention))
	t.advance(age)
	t.run(highest(key))
}

// countedTwice returns a key with two events of one kind and one of another.
func (t *runner) countedTwice() store.Key {
	key := t.key()
	t.run(adding(key, wrongCode, retention), adding(key, refused, retention), adding(key, wrongCode, retention))
	return key
}

func checkBudget(t *runner) {
	claims := func(c store.Claim) []store.Claim {
		own := c
		rival := t.rival(c)
		return []store.Claim{own, rival, rerun(own), rerun(rival), other(rival), replacing(other(rival), c.Owner)}
	}
	for i := range claims(t.request()) {
		for limit := range int64(3) {
			t.each(func(c store.Claim) {
				v := with(withBudget(claims(c)[i], t.countedTwice(), limit+1), t.nonce())
				t.run(claiming(v), spending(v.Nonce, t.owner()))
			})
		}
	}
	for limit := range int64(3) {
		t.begin()
		c := with(withBudget(t.request(), t.countedTwice(), limit+1), t.nonce())
		t.run(claiming(c), spending(c.Nonce, t.owner()))
	}
	t.begin()
	t.run(claiming(withBudget(t.request(), t.key(), 1)))
	c := with(withBudget(t.request(), t.countedTwice(), 2), t.nonce())
	t.run(spending(c.Nonce, t.owner()), claiming(c), resetting(c.Budget.Key), claiming(c))
	for _, pause := range []time.Duration{lapse, age} {
		t.begin()
		c := withBudget(t.request(), t.countedTwice(), 2)
		t.advance(pause)
		t.run(claiming(c))
	}
}

func checkForget(t *runner) {
	for _, state := range []store.RecordState{store.Completed, store.Failed, store.Unknown} {
		for _, d := range []time.Duration{retention, 0} {
			t.each(func(c store.Claim) {
				done := outcome(c, state)
				done.Retention = d
				done.Forget = t.countedTwice()
				beside := t.countedTwice()
				stranger := done
				stranger.Owner = t.owner()
				t.run(completing(stranger), completing(done), highest(beside))
				t.run(adding(done.Forget, refused, retention), completing(done))
			})
		}
	}
	t.begin()
	c := started(t)
	counts := t.countedTwice()
	t.run(completing(outcome(c, store.Completed)), highest(counts))
}
