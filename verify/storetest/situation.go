package storetest

import "github.com/toolcontract/toolcontract/store"

// A situation puts a new record into a state in which a claim can find it, and
// returns the claim with which the record began.
type situation func(t *trial) store.Claim

// situations returns every situation except that there is no record.
func situations() []situation {
	return []situation{unstarted, started, lapsed, abandoned, unknown, completed, failed, resolved}
}

// each runs a check in every situation.
func (t *trial) each(check func(c store.Claim)) {
	for _, put := range situations() {
		t.begin()
		check(put(t))
	}
}

func unstarted(t *trial) store.Claim {
	c := t.request()
	t.run(claiming(c))
	return c
}

func started(t *trial) store.Claim {
	c := start(t.request())
	t.run(claiming(c))
	return c
}

func lapsed(t *trial) store.Claim {
	c := unstarted(t)
	t.advance(lapse)
	return c
}

func abandoned(t *trial) store.Claim {
	c := started(t)
	t.advance(lapse)
	return c
}

func unknown(t *trial) store.Claim {
	c := started(t)
	t.run(completing(outcome(c, store.Unknown)))
	return c
}

func completed(t *trial) store.Claim {
	c := started(t)
	t.run(completing(outcome(c, store.Completed)))
	return c
}

func failed(t *trial) store.Claim {
	c := started(t)
	t.run(completing(outcome(c, store.Failed)))
	return c
}

func resolved(t *trial) store.Claim {
	c := unknown(t)
	t.run(resolving(c.Key, store.Happened))
	return c
}
