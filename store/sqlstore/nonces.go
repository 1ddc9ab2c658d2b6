package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/store"
)

const (
	readNonce   = `SELECT owner, ends FROM tc_nonces WHERE part = ? AND id = ?`
	addNonce    = `INSERT INTO tc_nonces (owner, ends, part, id) VALUES (?, ?, ?, ?)`
	setNonce    = `UPDATE tc_nonces SET owner = ? WHERE part = ? AND id = ?`
	removeNonce = `DELETE FROM tc_nonces WHERE part = ? AND id = ?`
)

// Spend implements [store.Store].
func (s *operations) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	if err := n.Validate(); err != nil {
		return false, err
	}
	if by.IsZero() {
		return false, fmt.Errorf("%w: spend: the owner is zero", store.ErrInvalid)
	}
	return take(ctx, s, n.Key.Partition, func(t *step) (bool, error) {
		spender, spent, err := t.spender(n.Key)
		if err != nil || spent {
			return spender == by, err
		}
		if err := t.makeRoom(1); err != nil {
			return false, err
		}
		return true, t.spend(n, by)
	})
}

// spender returns the owner that spent a nonce, and whether it is spent. It
// removes an expired nonce.
func (t *step) spender(key store.Key) (by store.Owner, spent bool, err error) {
	var owner []byte
	var ends int64
	err = t.row(readNonce, key.Partition[:], key.ID[:]).Scan(&owner, &ends)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return by, false, nil
	case err != nil:
		return by, false, err
	case ends <= t.now:
		return by, false, t.removeNonce(key)
	}
	copy(by[:], owner)
	return by, true, nil
}

func (t *step) spend(n store.Nonce, by store.Owner) error {
	t.room.entries++
	return t.exec(addNonce, by[:], t.in(n.TTL), n.Key.Partition[:], n.Key.ID[:])
}

func (t *step) removeNonce(key store.Key) error {
	t.room.entries--
	return t.exec(removeNonce, key.Partition[:], key.ID[:])
}
