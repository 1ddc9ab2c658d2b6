package redisstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// spendScript returns 1 for the owner that spends the nonce, 0 for any other,
// and the negated time until an entry expires if the partition has no room.
const spendScript = `
local by = spender(KEYS[1])
if not by then
  if not makeRoom(KEYS[2], KEYS[3], 1, 0) then return -untilRoom(KEYS[2]) end
  spend(KEYS[1], ARGV[2], ARGV[3])
  list(KEYS[2], KEYS[3], KEYS[1], now + ARGV[3])
  return 1
end
return by == ARGV[2] and 1 or 0
`

// Spend implements [store.Store].
func (s *operations) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	if err := n.Validate(); err != nil {
		return false, err
	}
	if by.IsZero() {
		return false, fmt.Errorf("%w: spend: the owner is zero", store.ErrInvalid)
	}
	value, err := s.run(ctx, s.scripts.spend, s.keysOf(nonceKind, n.Key), by[:], microseconds(n.TTL))
	if left, ok := value.(int64); ok && left < 0 {
		return false, isFull(time.Duration(-left) * time.Microsecond)
	}
	err = checkOwner(value, err)
	if errors.Is(err, store.ErrLost) {
		return false, nil
	}
	return err == nil, err
}
