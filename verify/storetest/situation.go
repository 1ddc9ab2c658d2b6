package storetest

import "github.com/toolcontract/toolcontract/store"

// A situation puts a new record into a state in which a claim can find it, and
// returns the claim that created the record.
type situation func(t *runner) store.Claim

// situations returns every situation except the one without a record.
func situations() []situation {
	return []situation{unstarted, started, lapsed, abandoned, unknown, completed, failed, resolved}
}

func (t *runner) each(check func(c store.Claim)) {
	for _, put := range situations() {
		t.begin()
		check(put(t))
	}
}

func unstarted(t *runner) store.Claim {
	c := t.request()
	t.run(claiming(c))
	return c
}

func started(t *runner) store.Claim {
	c := start(t.request())
	t.run(claiming(c))
	return c
}

func lapsed(t *runner) store.Claim {
	c := unstarted(t)
	t.advance(lapse)
	return c
}

func abandoned(t *runner) store.Claim {
	c := started(t)
	t.advance(lapse)
	return c
}

// ended is started, and then completed with a state.
func ended(state store.RecordState) situation {
	return func(t *runner) store.Claim {
		c := started(t)
		t.run(completing(outcome(c, state)))
		return c
	}
}

var (
	unknown   = ended(store.Unknown)
	completed = ended(store.Completed)
	failed    = ended(store.Failed)
)

// givenUp is abandoned, and its owner then says that nothing more is known.
func givenUp(t *runner) store.Claim {
	c := abandoned(t)
	t.run(completing(outcome(c, store.Unknown)))
	return c
}

func resolved(t *runner) store.Claim {
	c := unknown(t)
	t.run(resolving(c.Key, store.Happened))
	return c
}
