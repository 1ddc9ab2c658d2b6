package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/toolcontract/toolcontract/store"
)

const (
	// contenders is how many clients race.
	contenders = 16
	// rounds is how often each race is run.
	rounds = 8
	// maxOrders caps the search for an order that explains a race. A correct
	// store's replies lead to one almost directly.
	maxOrders = 10_000
)

// race runs several clients concurrently, each taking its own steps in order.
// There must be some order of all steps in which the model gives the same
// replies: then every step was atomic.
func (t *runner) race(clients ...[]step) {
	t.enter("a race of " + clients[0][0].operation)
	replies := make([][]reply, len(clients))
	begin := make(chan struct{})
	var group sync.WaitGroup
	for _, i := range rand.Perm(len(clients)) {
		steps := clients[i]
		replies[i] = make([]reply, len(steps))
		group.Go(func() {
			<-begin
			for k, s := range steps {
				replies[i][k] = s.runContained(t)
			}
		})
	}
	close(begin)
	group.Wait()
	for i, steps := range clients {
		for k, s := range steps {
			t.note(fmt.Sprintf("client %d: %v: %s", i, s, replies[i][k].summary(s.operation)))
		}
	}
	search := search{t.Harness, clients, replies, maxOrders}
	after := search.from(t.model, make([]int, len(clients)))
	if after == nil {
		t.broken("no order of these operations explains their answers")
	}
	t.model = after
	for _, steps := range clients {
		for _, s := range steps {
			t.look(s)
		}
	}
}

// runContained runs a step on the store and turns a panic into an error.
func (s step) runContained(t *runner) (r reply) {
	defer func() {
		if value := recover(); value != nil {
			r.err = fmt.Errorf("panic: %v", value)
		}
	}()
	return s.do(t.ctx, t.Store)
}

// summary describes what an operation returned.
func (r reply) summary(op string) string {
	switch {
	case r.err != nil:
		return "error " + r.err.Error()
	case op == "Claim" && r.claim.Status == store.Running:
		return fmt.Sprintf("running, lease %v", r.claim.LeaseLeft)
	case op == "Claim" && r.claim.Status == store.Finished:
		return fmt.Sprintf("finished, %v, result %s", r.claim.State, quote(r.claim.Result))
	case op == "Claim":
		return r.claim.Status.String()
	case op == "Get":
		return fmt.Sprintf("%v of owner %d, started %t, result %s, lease %v, ends in %v", r.record.State,
			number(r.record.Owner[:]), r.record.Started, quote(r.record.Result), r.record.LeaseLeft, r.record.ExpiresIn)
	case op == "Spend":
		return fmt.Sprint(r.spent)
	case op == "Max":
		return fmt.Sprintf("%d for %v", r.count.Highest, r.count.WindowLeft)
	case op == "Add":
		return fmt.Sprint(r.added)
	default:
		return "no error"
	}
}

// A search looks for an order of steps in which the model gives the same
// replies as the store.
type search struct {
	Harness
	clients [][]step
	replies [][]reply
	left    int
}

// from returns the model after all steps, or nil if no order fits. Client i
// continues with step done[i].
func (x *search) from(m *model, done []int) *model {
	x.left--
	all := true
	for i, steps := range x.clients {
		if done[i] == len(steps) {
			continue
		}
		all = false
		next := m.clone()
		want := steps[done[i]].do(context.Background(), next)
		if x.left < 0 || x.replies[i][done[i]].differs(want, x.Harness) != "" {
			continue
		}
		done[i]++
		if after := x.from(next, done); after != nil {
			return after
		}
		done[i]--
	}
	if all {
		return m
	}
	return nil
}

// contend returns as many clients as there are contenders. Client i takes the
// steps that of(i) returns.
func contend(of func(i int) []step) [][]step {
	var all [][]step
	for i := range contenders {
		all = append(all, of(i))
	}
	return all
}

func checkClaimAtomic(t *runner) {
	for range rounds {
		for _, put := range []situation{(*runner).request, lapsed, abandoned} {
			t.begin()
			c := rerun(put(t))
			t.race(contend(func(int) []step { return []step{claiming(t.rival(c))} })...)
		}
	}
}

func checkNonceAtomic(t *runner) {
	for range rounds {
		t.begin()
		n := t.nonce()
		t.race(contend(func(int) []step { return []step{claiming(with(t.request(), n))} })...)
		t.begin()
		n = t.nonce()
		t.race(contend(func(int) []step {
			owner := t.owner()
			return []step{spending(n, owner), spending(n, owner)}
		})...)
	}
}

func checkCountAtomic(t *runner) {
	for range rounds {
		t.begin()
		key := t.key()
		t.race(contend(func(int) []step { return []step{adding(key, wrongCode, retention)} })...)
		t.run(adding(key, wrongCode, retention))
	}
}

// checkBudgetAtomic releases a record only once the budget is used up. Every
// claim must find either the record in progress or the budget used up.
func checkBudgetAtomic(t *runner) {
	for range rounds {
		t.begin()
		held := unstarted(t)
		counts := t.key()
		t.race(contend(func(i int) []step {
			if i == contenders-1 { // last, so that the search does not release it too early
				return []step{adding(counts, wrongCode, retention), releasing(held.Key, held.Owner)}
			}
			return []step{claiming(withBudget(t.rival(held), counts, 1))}
		})...)
	}
}

// checkConcurrent has every client work on a record of its own.
func checkConcurrent(t *runner) {
	for range rounds {
		t.begin()
		t.race(contend(func(i int) []step {
			c := t.request()
			done := outcome(c, store.Completed)
			done.Result = []byte{byte(i)}
			return []step{
				claiming(c), marking(c.Key, c.Owner), renewing(c.Key, c.Owner, lease), completing(done),
				getting(c.Key), claiming(t.rival(c)),
			}
		})...)
	}
}
