package redisstore

import (
	"context"

	"github.com/toolcontract/toolcontract/store"
)

// completeScript writes the state without the result if the partition has no
// room for it, or if Redis refuses it because it is out of memory. The fourth
// key, if there is one, is that of counts to forget. They are removed after the
// result is written: Redis refuses only a script's first write for lack of
// memory, and that must be the result.
const completeScript = `
local owner, state, retention, kept, result = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5] == '1', ARGV[6]

local r = load(KEYS[1])
if not r or r.owner ~= owner then return 0 end
if r.state == '2' or r.state == '3' then return 1 end

if retention <= 0 then
  unlist(KEYS[2], KEYS[3], KEYS[1])
  redis.call('DEL', KEYS[1])
else
  local ends, written = now + retention, nil
  if r.state == '4' then drop(KEYS[2], KEYS[3], KEYS[1]) end
  if kept and makeRoom(KEYS[2], KEYS[3], 0, #result) then
    written = redis.pcall('HSET', KEYS[1], 'state', state, 'ends', text(ends), 'result', result)
    if type(written) == 'table' then
      if not string.find(written.err, 'OOM', 1, true) then return written end
      written = nil
    end
  end
  keep(KEYS[1], ends)
  if not written then redis.call('HSET', KEYS[1], 'state', state, 'ends', text(ends)) end
  list(KEYS[2], KEYS[3], KEYS[1], ends)
end
if KEYS[4] then forget(KEYS[2], KEYS[4]) end
return 1
`

// Complete implements [store.Store]. If it removes the record it is sent only
// once, as Release is.
func (s *operations) Complete(ctx context.Context, c store.Completion) error {
	if err := c.Validate(); err != nil {
		return err
	}
	send := s.run
	if c.Retention <= 0 {
		send = s.runOnce
	}
	keys := s.record(c.Key)
	if !c.Forget.IsZero() {
		keys = append(keys, s.key(countKind, c.Forget))
	}
	return checkOwner(send(ctx, s.scripts.complete, keys, c.Owner[:], int(c.State),
		// a copy, because the caller may change its slice before it is sent
		microseconds(c.Retention), flag(c.Result != nil), string(c.Result)))
}
