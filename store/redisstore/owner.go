package redisstore

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// These scripts return 1, or 0 if the owner does not hold the record.

const markScript = `
local r = load(KEYS[1])
if not r or r.owner ~= ARGV[2] or r.state ~= '1' then return 0 end
keep(KEYS[1], r.ends)
redis.call('HSET', KEYS[1], 'started', '1')
return 1
`

const renewScript = `
local r = load(KEYS[1])
if not r or r.owner ~= ARGV[2] or r.state ~= '1' then return 0 end
local lease = now + ARGV[3]
local ends = math.max(r.ends, lease)
keep(KEYS[1], ends)
redis.call('HSET', KEYS[1], 'lease', text(lease), 'ends', text(ends))
list(KEYS[2], KEYS[3], KEYS[1], ends)
return 1
`

const releaseScript = `
local r = load(KEYS[1])
if not r or r.owner ~= ARGV[2] or (r.state ~= '1' and r.state ~= '4') then return 0 end
unlist(KEYS[2], KEYS[3], KEYS[1])
redis.call('DEL', KEYS[1])
if KEYS[4] and spender(KEYS[4]) == ARGV[2] then
  unlist(KEYS[2], KEYS[3], KEYS[4])
  redis.call('DEL', KEYS[4])
end
return 1
`

// Mark implements [store.Store].
func (s *operations) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	if err := validateOwned("mark", key, owner); err != nil {
		return err
	}
	return checkOwner(s.run(ctx, s.scripts.mark, s.record(key), owner[:]))
}

// Renew implements [store.Store].
func (s *operations) Renew(ctx context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	if err := validateOwned("renew", key, owner); err != nil {
		return err
	}
	if lease <= 0 {
		return fmt.Errorf("%w: renew: the lease is not positive", store.ErrInvalid)
	}
	return checkOwner(s.run(ctx, s.scripts.renew, s.record(key), owner[:], microseconds(lease)))
}

// Release implements [store.Store]. It is sent only once: after a lost reply it
// is unknown whether it took place, and a repetition could only return
// [store.ErrLost].
func (s *operations) Release(ctx context.Context, r store.Release) error {
	if err := r.Validate(); err != nil {
		return err
	}
	keys := s.record(r.Key)
	if !r.Nonce.IsZero() {
		keys = append(keys, s.key(nonceKind, r.Nonce))
	}
	return checkOwner(s.runOnce(ctx, s.scripts.release, keys, r.Owner[:]))
}

// record returns the Redis keys of a record and of the two sets of its
// partition.
func (s *operations) record(key store.Key) []string { return s.keysOf(recordKind, key) }

// checkOwner reads the reply of a script that compares the owner.
func checkOwner(value any, err error) error {
	if err != nil {
		return err
	}
	switch value {
	case int64(1):
		return nil
	case int64(0):
		return store.ErrLost
	default:
		return errReply
	}
}

func validateOwned(operation string, key store.Key, owner store.Owner) error {
	switch {
	case key.IsZero():
		return fmt.Errorf("%w: %s: the key is zero", store.ErrInvalid, operation)
	case owner.IsZero():
		return fmt.Errorf("%w: %s: the owner is zero", store.ErrInvalid, operation)
	}
	return nil
}
