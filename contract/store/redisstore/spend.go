package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/contract/store"
)

const spendScript = `
local by = spender(KEYS[1])
if not by then
  spend(KEYS[1], ARGV[2], ARGV[3])
  return 1
end
return by == ARGV[2] and 1 or 0
`

// Spend implements [store.Store].
func (s *Store) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	if err := n.Validate(); err != nil {
		return false, err
	}
	if by.IsZero() {
		return false, fmt.Errorf("%w: spend: the owner is zero", store.ErrInvalid)
	}
	keys := []string{s.key(nonceSort, n.Key)}
	err := held(s.run(ctx, s.scripts.spend, keys, by[:], microseconds(n.TTL)))
	if errors.Is(err, store.ErrLost) {
		return false, nil
	}
	return err == nil, err
}
