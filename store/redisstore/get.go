package redisstore

import (
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/store"
)

const getScript = `
local r = load(KEYS[1])
if not r then return {} end
local left = 0
if r.state == '1' then left = r.lease - now end
return {tonumber(r.state), r.owner, tonumber(r.started), r.fingerprint, left, r.ends - now,
  redis.call('HGET', KEYS[1], 'result')}
`

// Get implements [store.Store].
func (s *operations) Get(ctx context.Context, key store.Key) (store.Record, error) {
	if key.IsZero() {
		return store.Record{}, fmt.Errorf("%w: get: the key is zero", store.ErrInvalid)
	}
	value, err := s.run(ctx, s.scripts.get, s.record(key))
	if err != nil {
		return store.Record{}, err
	}
	reply := newReply(value)
	if !reply.malformed && len(reply.rest) == 0 {
		return store.Record{}, nil
	}
	var r store.Record
	r.State = store.RecordState(reply.number()) //nolint:gosec // from the script
	reply.fill(r.Owner[:])
	r.Started = reply.number() == 1
	reply.fill(r.Fingerprint[:])
	r.LeaseLeft = reply.duration()
	r.ExpiresIn = reply.duration()
	r.Result = reply.bytes()
	if reply.malformed {
		return store.Record{}, errReply
	}
	return r, nil
}
