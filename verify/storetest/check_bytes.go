package storetest

import (
	"bytes"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// shares is how many results that checkBytes makes would fit into the bound if
// records took no room themselves.
const shares = 16

// checkBytes first frees the room of results in every way, beside one that is
// older and for which there is always room: a store that still counts results
// that are gone drops it. Then it makes more results than there is room for.
func checkBytes(t *trial) {
	t.dropped = true
	elsewhere := t.request()
	elsewhere.Key.Partition = t.digest()
	t.finish(elsewhere, store.Completed, t.MaxBytes/shares)
	oldest := t.finish(t.request(), store.Completed, t.MaxBytes/shares)
	for _, free := range freeing() {
		for range shares / 2 {
			free(t, t.finish(start(t.request()), store.Unknown, t.MaxBytes/4))
			t.keeps(oldest)
		}
	}
	newest := []store.Claim{oldest}
	t.steps = nil
	for range 2 * shares {
		t.advance(time.Hour) // so that no two results have the same age
		newest = append(newest, t.finish(t.request(), store.Completed, t.MaxBytes/shares))
	}
	t.finish(t.request(), store.Completed, t.MaxBytes+1)
	t.keeps(newest[len(newest)-shares/4:]...)
	t.keeps(elsewhere)

	slices.Reverse(newest)
	sum := int64(0)
	dropped := false
	for _, c := range newest {
		t.run(claiming(t.rival(c)), claiming(other(t.rival(c))))
		size := int64(len(t.resultOf(c)))
		if dropped && size > 0 {
			t.broken("Complete: the store has dropped a result that is newer than another one")
		}
		dropped = size == 0
		sum += size
	}
	if sum > t.MaxBytes {
		t.broken("Complete: a partition keeps %d bytes of results, and the bound is %d", sum, t.MaxBytes)
	}
	t.run(claiming(t.rival(elsewhere)))
}

// freeing returns the ways in which the result of a record with an unknown
// outcome goes.
func freeing() []func(*trial, store.Claim) {
	return []func(*trial, store.Claim){
		func(t *trial, c store.Claim) { t.run(releasing(c.Key, c.Owner)) },
		func(t *trial, c store.Claim) { t.run(resolving(c.Key, store.Happened)) },
		func(t *trial, c store.Claim) { t.run(resolving(c.Key, store.DidNotHappen)) },
		func(t *trial, c store.Claim) { t.run(claiming(replacing(t.rival(c), c.Owner))) },
		func(t *trial, c store.Claim) { t.run(claiming(rerun(t.rival(c)))) },
		func(t *trial, c store.Claim) {
			done := outcome(c, store.Completed)
			t.run(completing(done))
		},
		func(t *trial, c store.Claim) {
			gone := outcome(c, store.Completed)
			gone.Retention = 0
			t.run(completing(gone))
		},
		func(t *trial, _ store.Claim) { t.advance(age) },
		func(t *trial, c store.Claim) {
			t.advance(age)
			t.run(claiming(t.rival(c)))
		},
	}
}

// finish makes a record with a result of a size. A record that is Completed
// exists much longer than the others.
func (t *trial) finish(c store.Claim, state store.RecordState, size int64) store.Claim {
	done := outcome(c, state)
	done.Result = bytes.Repeat([]byte("r"), int(size))
	if state == store.Completed {
		done.Retention = 100 * age
	}
	t.run(claiming(c), completing(done))
	return c
}

// keeps ends the check unless the store has the results of records.
func (t *trial) keeps(claims ...store.Claim) {
	for _, c := range claims {
		if t.resultOf(c) == nil {
			t.broken("Complete: the store has dropped a result for which there is room")
		}
	}
}

func (t *trial) resultOf(c store.Claim) []byte { return t.perform(t.ctx, getting(c.Key)).record.Result }
