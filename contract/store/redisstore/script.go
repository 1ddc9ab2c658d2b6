package redisstore

import "github.com/redis/go-redis/v9"

// serverClock is the beginning of every script. It reads the clock once, so
// that a script runs at one instant. TIME makes a script depend on more than
// its arguments. Redis allows this because it replicates the effects of
// scripts, not their text.
const serverClock = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]
`

// library has the functions of all scripts, and follows the clock. Ends are
// microseconds since 1970. They are written with %.0f, because Lua would round
// them to 14 digits.
//
// If Redis is out of memory it refuses a write only if this is the first write
// of its script. A script that must not be refused first calls keep, which
// needs no memory. A script that may be refused first writes its new entry.
//
// The index of a partition is a sorted set of its records and nonces by their
// ends, which hasRoom counts.
const library = `
local function text(n) return string.format('%.0f', n) end

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

local function hasRoom(index, added, limit)
  return redis.call('ZCOUNT', index, '(' .. text(now), '+inf') + added <= tonumber(limit)
end

-- untilRoom returns the time until the first entry of a full partition expires.
local function untilRoom(index)
  local first = redis.call('ZRANGEBYSCORE', index, '(' .. text(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  return first[2] and tonumber(first[2]) - now or 1
end

local function member(key) return string.match(key, '%a+:%x+$') end

local function list(index, key, ends)
  redis.call('ZADD', index, text(ends), member(key))
  redis.call('ZREMRANGEBYSCORE', index, '-inf', text(now))
  local last = redis.call('ZRANGE', index, -1, -1, 'WITHSCORES')
  keep(index, tonumber(last[2]))
end
`

// scripts has a script for each operation. A [redis.Script] is safe for
// concurrent use.
type scripts struct {
	claim, mark, renew, complete, release, get, resolve *redis.Script
	spend                                               *redis.Script
	add, max, reset                                     *redis.Script
}

func newScripts(clock string) scripts {
	script := func(body string) *redis.Script { return redis.NewScript(clock + library + body) }
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
