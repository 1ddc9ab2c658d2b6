package redisstore

import (
	"fmt"

	"github.com/redis/go-redis/v9"
)

// serverClock starts every script. It reads the clock once, so that a script
// runs at one instant. TIME makes a script depend on more than its arguments;
// Redis allows that because it replicates the effects of scripts, not their
// text.
const serverClock = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]
`

// library has the functions that all scripts share. It follows serverClock.
// Ends are microseconds since 1970, written with %.0f because Lua would
// otherwise round them to 14 digits.
//
// If Redis is out of memory it refuses a write only if that is the script's
// first. A script that must not be refused starts with keep, which needs no
// memory. A script that may be refused starts by writing its new entry.
//
// The index of a partition is a sorted set of its entries by their ends: the
// name of a record with the bytes of its result, that of a nonce, and that of
// counts once for each kind. Its member "bytes" has the negated sum of all
// these bytes as its score. Both are in one key, so that neither can be lost
// without the other, and an entry's bytes leave the sum together with its
// member. So the sum stays correct even when Redis itself removes an entry. The
// results of a partition are a sorted set by age.
const library = `
local function text(n) return string.format('%.0f', n) end

-- weight returns the bytes for which the result of a record counts.
local function weight(key)
  local bytes = redis.call('HSTRLEN', key, 'result')
  return bytes > 0 and bytes + resultBytes or 0
end

local function keep(key, ends)
  redis.call('PEXPIRE', key, text(math.ceil((ends - now) / 1000) + 60000))
end

local function load(key)
  local f = redis.call('HMGET', key, 'state', 'owner', 'started', 'fingerprint', 'lease', 'ends')
  if not f[1] or tonumber(f[6]) <= now then return nil end
  return {state = f[1], owner = f[2], started = f[3], fingerprint = f[4], lease = tonumber(f[5]), ends = tonumber(f[6])}
end

local function spender(key)
  local f = redis.call('HMGET', key, 'owner', 'ends')
  if not f[1] or tonumber(f[2]) <= now then return nil end
  return f[1]
end

local function highest(key)
  local f = redis.call('HMGET', key, 'ends', 'max')
  if not f[1] or tonumber(f[1]) <= now then return 0, 0 end
  return tonumber(f[2]), tonumber(f[1]) - now
end

local function spend(key, owner, ttl)
  local ends = now + ttl
  redis.call('HSET', key, 'owner', owner, 'ends', text(ends))
  keep(key, ends)
end

local function member(key) return string.match(key, '%a+:%x+$') end

-- unlist takes a record or a nonce out of the index, before it changes or goes.
-- The result of a record takes its bytes along.
local function unlist(index, results, key)
  local name, bytes = member(key), weight(key)
  if bytes > 0 then
    redis.call('ZREM', results, string.match(key, '%x+$'))
    name = name .. ':' .. bytes
  end
  if redis.call('ZREM', index, name) == 0 then return false end
  if bytes > 0 then redis.call('ZINCRBY', index, bytes, 'bytes') end
  return true
end

-- sweep takes the entries out of the index whose end has come.
local function sweep(index, results)
  local sum = 0
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', index, 1, text(now))) do
    local id, bytes = string.match(name, '^record:(%x+):(%d+)$')
    if id then
      sum = sum + bytes
      redis.call('ZREM', results, id)
    end
  end
  redis.call('ZREMRANGEBYSCORE', index, 1, text(now))
  if sum > 0 then redis.call('ZINCRBY', index, sum, 'bytes') end
end

-- list puts an entry into the index, or moves its end. kind is the number of a
-- kind of counts.
local function list(index, results, key, ends, kind)
  local name, bytes = member(key), 0
  if kind then
    name = name .. '.' .. kind
  else
    bytes = weight(key)
  end
  if bytes > 0 then
    redis.call('ZREM', index, name) -- of the record without its result
    redis.call('ZADD', results, text(now), string.match(key, '%x+$'))
    name = name .. ':' .. bytes
  end
  if redis.call('ZADD', index, text(ends), name) == 1 and bytes > 0 then redis.call('ZINCRBY', index, -bytes, 'bytes') end
  sweep(index, results)
  local last = redis.call('ZRANGE', index, -1, -1, 'WITHSCORES')
  keep(index, tonumber(last[2]))
  keep(results, tonumber(last[2]))
end

-- drop removes the result of a record, which stays in the index.
local function drop(index, results, key)
  if redis.call('HSTRLEN', key, 'result') == 0 then
    redis.call('HDEL', key, 'result')
    return
  end
  local ends = redis.call('HGET', key, 'ends')
  local listed = unlist(index, results, key)
  redis.call('HDEL', key, 'result')
  if listed then redis.call('ZADD', index, ends, member(key)) end
end

-- forget removes counts.
local function forget(index, key)
  local kinds = redis.call('HLEN', key) - 2
  redis.call('DEL', key)
  for i = 1, kinds do redis.call('ZREM', index, member(key) .. '.' .. i) end
end

-- makeRoom makes room for new entries, or for the bytes of a result, and reports
-- whether there is room. It removes nothing but results, the oldest first, and
-- none if that would not be enough.
local function makeRoom(index, results, added, bytes)
  local entries = redis.call('ZCOUNT', index, '(' .. text(now), '+inf') + added
  if added > 0 and entries > maxEntries then return false end
  local room = maxBytes - entries * entryBytes - (bytes > 0 and bytes + resultBytes or 0)
  if room < 0 then return false end
  local function used() return -tonumber(redis.call('ZSCORE', index, 'bytes') or 0) end
  if used() > room then sweep(index, results) end
  while used() > room do
    local id = redis.call('ZRANGE', results, 0, 0)[1]
    if not id then return false end
    redis.call('ZREM', results, id)
    drop(index, results, string.gsub(results, 'results$', 'record:' .. id))
  end
  return true
end

-- untilRoom returns the time until the first entry of a full partition expires.
local function untilRoom(index)
  local first = redis.call('ZRANGEBYSCORE', index, '(' .. text(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  return first[2] and tonumber(first[2]) - now or 1
end

`

// scripts has a script for each operation. A [redis.Script] is safe for
// concurrent use.
type scripts struct {
	claim, mark, renew, complete, release, get, resolve *redis.Script
	spend                                               *redis.Script
	add, max, reset                                     *redis.Script
}

func newScripts(clock string, limits limits) scripts {
	begin := clock + fmt.Sprintf("local maxEntries, maxBytes, entryBytes, resultBytes = %d, %d, %d, %d\n",
		limits.entries, limits.bytes, entryBytes, resultBytes) + library
	script := func(body string) *redis.Script { return redis.NewScript(begin + body) }
	return scripts{
		claim:    script(claimScript),
		mark:     script(markScript),
		renew:    script(renewScript),
		complete: script(completeScript),
		release:  script(releaseScript),
		get:      script(getScript),
		resolve:  script(resolveScript),
		spend:    script(spendScript),
		add:      script(addScript),
		max:      script(maxScript),
		reset:    script(resetScript),
	}
}
