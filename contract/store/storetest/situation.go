package storetest

import "github.com/toolcontract/toolcontract/contract/store"

// theResult is what finished records of a situation hold.
var theResult = []byte("the result of hunter2")

// A situation is a state in which a claim can find a record.
type situation struct {
	name string
	// put brings a new key into it, and returns the claim with which its record began.
	put func(p *probe) store.Claim
	// verdict is what anybody else's claim gets, rerun what one with Rerun gets.
	verdict, rerun store.ClaimStatus
	// holds says that the owner holds the record in progress; doubt that it holds it as unknown.
	holds, doubt bool
	// abandoned says that the record can be resolved.
	abandoned bool
}

// situations returns every one there is, but that of no record.
func situations() []situation {
	return []situation{
		{
			name: "on a record in progress", put: (*probe).unstarted, holds: true,
			verdict: store.Running, rerun: store.Running,
		},
		{
			name: "on a started record", put: (*probe).started, holds: true,
			verdict: store.Running, rerun: store.Running,
		},
		{
			name: "on a record whose lease is over before the start", put: (*probe).lapsed, holds: true,
			verdict: store.Claimed, rerun: store.Claimed,
		},
		{
			name: "on a started record whose lease is over", put: (*probe).abandoned, holds: true, abandoned: true,
			verdict: store.Abandoned, rerun: store.Claimed,
		},
		{
			name: "on a record of unknown outcome", put: (*probe).unknown, doubt: true, abandoned: true,
			verdict: store.Abandoned, rerun: store.Claimed,
		},
		{
			name: "on a completed record", put: (*probe).completed,
			verdict: store.Finished, rerun: store.Finished,
		},
		{
			name: "on a failed record", put: (*probe).failed,
			verdict: store.Finished, rerun: store.Finished,
		},
		{
			name: "on a resolved record", put: (*probe).resolved,
			verdict: store.Finished, rerun: store.Finished,
		},
	}
}

func (p *probe) unstarted() store.Claim {
	c := p.request()
	p.claim(c, store.Claimed, "with a new key")
	return c
}

func (p *probe) started() store.Claim {
	c := p.request()
	c.Start = true
	p.claim(c, store.Claimed, "with a new key and Start")
	return c
}

func (p *probe) lapsed() store.Claim {
	c := p.unstarted()
	p.Advance(lapse)
	return c
}

func (p *probe) abandoned() store.Claim {
	c := p.started()
	p.Advance(lapse)
	return c
}

func (p *probe) unknown() store.Claim {
	c := p.started()
	p.complete(outcome(c, store.Unknown, nil), nil, "with Unknown by the owner")
	return c
}

func (p *probe) completed() store.Claim {
	c := p.started()
	p.complete(outcome(c, store.Completed, theResult), nil, "with Completed by the owner")
	return c
}

func (p *probe) failed() store.Claim {
	c := p.started()
	p.complete(outcome(c, store.Failed, theResult), nil, "with Failed by the owner")
	return c
}

func (p *probe) resolved() store.Claim {
	c := p.unknown()
	p.resolve(c.Key, store.Happened, nil, "with Happened on a record of unknown outcome")
	return c
}
