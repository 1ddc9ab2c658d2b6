package redisstore

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// addScript keeps the count of a kind in a field named by the kind's digest,
// whose 32 bytes differ from the names of the other fields. It returns the
// negated time until an entry expires if the partition has no room for a kind.
const addScript = `
local kind, ends = ARGV[2], tonumber(redis.call('HGET', KEYS[1], 'ends') or 0)
if ends > now and redis.call('HEXISTS', KEYS[1], kind) == 1 then
  keep(KEYS[1], ends)
  local n = redis.call('HINCRBY', KEYS[1], kind, 1)
  if n > tonumber(redis.call('HGET', KEYS[1], 'max')) then redis.call('HSET', KEYS[1], 'max', n) end
  return n
end
if not makeRoom(KEYS[2], KEYS[3], 1, 0) then return -untilRoom(KEYS[2]) end
if ends > now then
  redis.call('HSET', KEYS[1], kind, 1)
else
  if ends > 0 then forget(KEYS[2], KEYS[1]) end
  ends = now + ARGV[3]
  redis.call('HSET', KEYS[1], 'ends', text(ends), 'max', 1, kind, 1)
  keep(KEYS[1], ends)
end
list(KEYS[2], KEYS[3], KEYS[1], ends, redis.call('HLEN', KEYS[1]) - 2)
return 1
`

const maxScript = `
return {highest(KEYS[1])}
`

const resetScript = `
forget(KEYS[2], KEYS[1])
return 0
`

// Add implements [store.Store]. If there is no room for a new kind the error is
// [store.ErrFull]. It is sent only once, so that no event counts twice. After
// an error the event may have been counted.
func (s *operations) Add(ctx context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	switch {
	case key.IsZero():
		return 0, fmt.Errorf("%w: add: the key is zero", store.ErrInvalid)
	case window <= 0:
		return 0, fmt.Errorf("%w: add: the window is not positive", store.ErrInvalid)
	}
	digest := sha256.Sum256([]byte(kind))
	n, err := count(s.runOnce(ctx, s.scripts.add, s.counts(key), digest[:], microseconds(window)))
	if n < 0 {
		return 0, isFull(time.Duration(-n) * time.Microsecond)
	}
	return n, err
}

// Max implements [store.Store].
func (s *operations) Max(ctx context.Context, key store.Key) (store.Count, error) {
	if key.IsZero() {
		return store.Count{}, fmt.Errorf("%w: max: the key is zero", store.ErrInvalid)
	}
	value, err := s.run(ctx, s.scripts.max, s.counts(key))
	if err != nil {
		return store.Count{}, err
	}
	r := newReply(value)
	c := store.Count{Highest: r.number(), WindowLeft: r.duration()}
	if r.malformed {
		return store.Count{}, errReply
	}
	return c, nil
}

// Reset implements [store.Store].
func (s *operations) Reset(ctx context.Context, key store.Key) error {
	if key.IsZero() {
		return fmt.Errorf("%w: reset: the key is zero", store.ErrInvalid)
	}
	_, err := count(s.run(ctx, s.scripts.reset, s.counts(key)))
	return err
}

func (s *operations) counts(key store.Key) []string { return s.keysOf(countKind, key) }

func count(value any, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	n, ok := value.(int64)
	if !ok {
		return 0, errReply
	}
	return n, nil
}
