package storetest

import (
	"bytes"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// shares is how many of checkBytes's results would fit within the bound if
// records took no room themselves.
const shares = 16

// checkBytes first frees results in every possible way, next to an older one
// that there is always room for: a store that still counts freed results drops
// it. Then it makes more results than there is room for.
func checkBytes(t *runner) {
	t.dropped = true
	elsewhere := t.request()
	elsewhere.Key.Partition = t.digest()
	t.finish(elsewhere, store.Completed, t.MaxBytes/shares)
	oldest := t.finish(t.request(), store.Completed, t.MaxBytes/shares)
	for _, free := range waysToFree() {
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

// waysToFree returns the ways in which the result of a record with an unknown
// outcome can go away.
func waysToFree() []func(*runner, store.Claim) {
	return []func(*runner, store.Claim){
		func(t *runner, c store.Claim) { t.run(releasing(c.Key, c.Owner)) },
		func(t *runner, c store.Claim) { t.run(resolving(c.Key, store.Happened)) },
		func(t *runner, c store.Claim) { t.run(resolving(c.Key, store.DidNotHappen)) },
		func(t *runner, c store.Claim) { t.run(claiming(replacing(t.rival(c), c.Owner))) },
		func(t *runner, c store.Claim) { t.run(claiming(rerun(t.rival(c)))) },
		func(t *runner, c store.Claim) {
			done := outcome(c, store.Completed)
			t.run(completing(done))
		},
		func(t *runner, c store.Claim) {
			gone := outcome(c, store.Completed)
			gone.Retention = 0
			t.run(completing(gone))
		},
		func(t *runner, _ store.Claim) { t.advance(age) },
		func(t *runner, c store.Claim) {
			t.advance(age)
			t.run(claiming(t.rival(c)))
		},
	}
}

// finish makes a record with a result of the given size. A Completed record
// lives much longer than the others.
func (t *runner) finish(c store.Claim, state store.RecordState, size int64) store.Claim {
	done := outcome(c, state)
	done.Result = bytes.Repeat([]byte("r"), int(size))
	if state == store.Completed {
		done.Retention = 100 * age
	}
	t.run(claiming(c), completing(done))
	return c
}

// keeps ends the check unless the store still has the records' results.
func (t *runner) keeps(claims ...store.Claim) {
	for _, c := range claims {
		if t.resultOf(c) == nil {
			t.broken("Complete: the store has dropped a result for which there is room")
		}
	}
}

func (t *runner) resultOf(c store.Claim) []byte {
	return t.perform(t.ctx, getting(c.Key)).record.Result
}
