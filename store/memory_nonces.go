package store

import (
	"context"
	"fmt"
)

// Spend implements [Store].
func (m *memory) Spend(ctx context.Context, n Nonce, by Owner) (bool, error) {
	if err := n.Validate(); err != nil {
		return false, err
	}
	if by.IsZero() {
		return false, fmt.Errorf("%w: spend: the owner is zero", ErrInvalid)
	}
	return query(ctx, m, func() (bool, error) {
		if spender, spent := m.spender(n.Key); spent {
			return spender == by, nil
		}
		if !m.makeRoom(1, 0, n.Key.Partition) {
			return false, m.full()
		}
		m.nonces.add(n.Key, m.in(n.TTL), by)
		return true, nil
	})
}

// spender returns the owner that spent a nonce, and whether it is spent.
func (m *memory) spender(key Key) (Owner, bool) {
	e := m.nonces.entries[key]
	if e == nil {
		return Owner{}, false
	}
	if e.end <= m.now {
		m.nonces.remove(e)
		return Owner{}, false
	}
	return e.value, true
}
