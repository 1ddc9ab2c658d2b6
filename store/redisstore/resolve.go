package redisstore

import (
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/store"
)

const resolveScript = `
local r = load(KEYS[1])
if not r then return 'none' end
local abandoned = r.state == '4' or (r.state == '1' and r.lease <= now and r.started == '1')
if not abandoned then return 'known' end
if ARGV[2] == '1' then
  keep(KEYS[1], r.ends)
  redis.call('HSET', KEYS[1], 'state', '2', 'owner', '')
  drop(KEYS[2], KEYS[3], KEYS[1])
else
  unlist(KEYS[2], KEYS[3], KEYS[1])
  redis.call('DEL', KEYS[1])
end
return 'resolved'
`

// Resolve implements [store.Store]. It is sent only once, as Release is.
func (s *operations) Resolve(ctx context.Context, key store.Key, settled store.Settlement) error {
	switch {
	case key.IsZero():
		return fmt.Errorf("%w: resolve: the key is zero", store.ErrInvalid)
	case settled != store.Happened && settled != store.DidNotHappen:
		return fmt.Errorf("%w: resolve: the settlement is neither happened nor did not happen", store.ErrInvalid)
	}
	value, err := s.runOnce(ctx, s.scripts.resolve, s.record(key), flag(settled == store.Happened))
	if err != nil {
		return err
	}
	switch value {
	case "resolved":
		return nil
	case "none":
		return store.ErrNotFound
	case "known":
		return store.ErrNotUnknown
	default:
		return errReply
	}
}
