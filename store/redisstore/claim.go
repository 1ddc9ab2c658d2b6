package redisstore

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// claimScript returns the number of a [store.ClaimStatus], following
// [store.Claim.StatusFor], or 0 and the time until an entry expires if the
// partition has no room. Its keys are those of the record and, if the claim has
// them, of the nonce and the budget.
const claimScript = `
local owner, fingerprint, lease, retention = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local start, rerun, ttl, limit, replaced = ARGV[6] == '1', ARGV[7] == '1', ARGV[8], tonumber(ARGV[9]), ARGV[10]
local index, results, nonce, counts = KEYS[2], KEYS[3], tonumber(ttl) > 0 and KEYS[4], limit > 0 and KEYS[#KEYS]
local FULL, CLAIMED, RUNNING, FINISHED, ABANDONED, CONFLICTING, SPENT, EXHAUSTED = 0, 1, 2, 3, 4, 5, 6, 7

local r = load(KEYS[1])
if r and not (replaced ~= '' and r.owner == replaced and r.state ~= '1') then
  if r.fingerprint ~= fingerprint then return {CONFLICTING} end
  if r.state == '2' or r.state == '3' then
    return {FINISHED, tonumber(r.state), redis.call('HGET', KEYS[1], 'result')}
  end
  if r.state == '4' then
    if not rerun then return {ABANDONED} end
  elseif r.owner ~= owner then
    if r.lease > now then return {RUNNING, r.lease - now} end
    if r.started == '1' and not rerun then return {ABANDONED} end
  end
end

local own = r and r.state == '1' and r.owner == owner
if counts and not own and highest(counts) >= limit then return {EXHAUSTED} end

local by = nonce and spender(nonce)
local over = by and r and r.state == '1' and r.started ~= '1' and by == r.owner
if by and by ~= owner and not over then return {SPENT} end
local added = (r and 0 or 1) + (nonce and not by and 1 or 0)
if added > 0 and not makeRoom(index, results, added, 0) then return {FULL, untilRoom(index)} end
if nonce then
  if not by then
    spend(nonce, owner, ttl)
  elseif by ~= owner then
    keep(KEYS[1], now + retention)
    redis.call('HSET', nonce, 'owner', owner)
  end
end

local ends = now + retention
if r then keep(KEYS[1], ends) end
start = start or r and (r.state == '1' and r.started == '1' or r.state == '4')
redis.call('HSET', KEYS[1], 'state', '1', 'owner', owner, 'started', start and '1' or '0',
  'fingerprint', fingerprint, 'lease', text(now + lease), 'ends', text(ends))
drop(index, results, KEYS[1]) -- of a record that is over or replaced
keep(KEYS[1], ends)
list(index, results, KEYS[1], ends)
if nonce and not by then list(index, results, nonce, now + ttl) end
return {CLAIMED}
`

// Claim implements [store.Store].
func (s *operations) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	if err := c.Validate(); err != nil {
		return store.ClaimResult{}, err
	}
	keys := s.record(c.Key)
	if !c.Nonce.Key.IsZero() {
		keys = append(keys, s.key(nonceKind, c.Nonce.Key))
	}
	if !c.Budget.Key.IsZero() {
		keys = append(keys, s.key(countKind, c.Budget.Key))
	}
	value, err := s.run(ctx, s.scripts.claim, keys,
		c.Owner[:], c.Fingerprint[:], microseconds(c.Lease), microseconds(c.Retention),
		flag(c.Start), flag(c.Rerun), microseconds(c.Nonce.TTL), c.Budget.Limit, replacedOwner(c))
	if err != nil {
		return store.ClaimResult{}, err
	}
	return answer(value)
}

// full is the status of a claim that found no room in its partition.
const full store.ClaimStatus = 0

func answer(value any) (store.ClaimResult, error) {
	r := newReply(value)
	a := store.ClaimResult{Status: store.ClaimStatus(r.number())} //nolint:gosec // an unknown number is refused below
	switch a.Status {
	case store.Finished:
		a.State = store.RecordState(r.number()) //nolint:gosec // from the script
		a.Result = r.bytes()
	case store.Running:
		a.LeaseLeft = r.duration()
	case full:
		return store.ClaimResult{}, isFull(r.duration())
	case store.Claimed, store.Abandoned, store.Conflicting, store.NonceSpent, store.Exhausted:
	default:
		return store.ClaimResult{}, errReply
	}
	if r.malformed {
		return store.ClaimResult{}, errReply
	}
	return a, nil
}

func isFull(left time.Duration) error {
	return &store.FullError{RetryAfter: max(left, time.Microsecond)}
}

// replacedOwner returns the owner of the record that a claim replaces, or "".
func replacedOwner(c store.Claim) string {
	if c.Replaces.IsZero() {
		return ""
	}
	return string(c.Replaces[:])
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
