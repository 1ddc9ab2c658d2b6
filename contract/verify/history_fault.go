package verify

import (
	"context"
	"errors"
	"sync"

	"github.com/toolcontract/toolcontract/contract/store"
)

// A handlerFault is how a run fails for the test.
type handlerFault int

const (
	faultNone handlerFault = iota
	faultAfter
	faultBefore
	faultPanic
)

// faultOf returns the fault of the n-th run of a key. Only the first runs fail,
// so that a key whose contract allows a rerun succeeds in the end.
func faultOf(key, n int) handlerFault {
	if n > 0 {
		return faultNone
	}
	return handlerFault(key % 4)
}

// errStore is the error of a store that fails for the test.
var errStore = errors.New("verify: the store fails for the test")

// A faultyStore fails at some operations, before or after they took place.
type faultyStore struct {
	store.Store

	mu                 sync.Mutex
	claims, completion int
}

func (s *faultyStore) next(n *int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n++
	return *n
}

// Claim fails at every seventh call before it, and at every eleventh after it.
func (s *faultyStore) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	n := s.next(&s.claims)
	if n%7 == 0 {
		return store.ClaimResult{}, errStore
	}
	result, err := s.Store.Claim(ctx, c)
	if n%11 == 0 {
		return store.ClaimResult{}, errStore
	}
	return result, err
}

// Complete fails at every third call, in turn before and after it.
func (s *faultyStore) Complete(ctx context.Context, c store.Completion) error {
	switch n := s.next(&s.completion); n % 6 {
	case 3:
		return errStore
	case 0:
		_ = s.Store.Complete(ctx, c) // its answer is lost
		return errStore
	}
	return s.Store.Complete(ctx, c)
}
