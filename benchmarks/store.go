package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/redisstore"
)

// redisGroup has calls on a Redis server on a Unix socket, and one script of
// the store alone, as their unit. It has no variants if redis-server is not
// installed.
func redisGroup() group {
	g := group{name: "redis"}
	server, err := exec.LookPath("redis-server")
	if err != nil {
		return g
	}
	managed := func() (*contract.Tool, error) { return orders(toolName).Idempotency(onceForEachKey).Build() }
	g.variants = []variant{
		{name: "redis_evalsha", open: func() (func() error, func(), error) {
			s, end, err := startRedis(server)
			key := store.Scope{Principal: "bench"}.Key("counts")
			return func() error {
				_, err := s.Max(context.Background(), key)
				return err
			}, end, err
		}},
		overRedis(server, "redis_plain", full, same(message(validArguments))),
		overRedis(server, "redis_first_run", managed, keyed()),
		overRedis(server, "redis_replay", managed,
			same(messageOf(toolName, validArguments, `,"_meta":{"`+contract.MetaKeyIdempotencyKey+`":"k"}`))),
	}
	return g
}

// roomyMemory returns a store in memory with room for every call of a run, so
// that none is refused because it is full.
func roomyMemory() ([]guard.Option, func(), error) {
	s, err := store.NewMemory(store.WithMaxEntries(1<<30), store.WithMaxBytes(1<<40))
	return []guard.Option{discarded(), guard.WithStore(s)}, func() {}, err
}

// overRedis returns a variant whose guard has a store on a Redis server.
func overRedis(server, name string, build func() (*contract.Tool, error), next func() []byte) variant {
	return guardedWith(name, build, next, func() ([]guard.Option, func(), error) {
		s, end, err := startRedis(server)
		if err != nil {
			return nil, nil, err
		}
		return []guard.Option{
			discarded(), guard.WithStore(s), guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)), guard.WithNamespace("bench"),
		}, end, nil
	})
}

// supervise runs its arguments until standard input ends, so that the server
// does not outlive this process.
const supervise = `"$@" & server=$!
cat >/dev/null
kill -9 $server
wait $server 2>/dev/null`

// startRedis runs an empty server on a Unix socket, and returns a store in it.
func startRedis(server string) (*redisstore.Store, func(), error) {
	url, end, err := runRedis(server)
	if err != nil {
		return nil, nil, err
	}
	s, err := redisstore.Open(url)
	if err != nil {
		end()
		return nil, nil, err
	}
	return s, func() { _ = s.Close(); end() }, nil
}

// runRedis runs an empty server on a Unix socket, and returns its URL.
func runRedis(server string) (string, func(), error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return "", nil, err
	}
	socket := filepath.Join(dir, "s")
	run := exec.Command("sh", "-c", supervise, "sh", server, "--port", "0", "--unixsocket", socket, "--save", "",
		"--appendonly", "no", "--dir", dir)
	run.Stdout = io.Discard
	alive, err := run.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	if err := run.Start(); err != nil {
		return "", nil, err
	}
	end := func() {
		_ = alive.Close()
		_ = run.Wait()
		_ = os.RemoveAll(dir)
	}
	for range 500 {
		if _, err := os.Stat(socket); err == nil {
			return "unix://" + socket, end, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	end()
	return "", nil, errors.New("redis-server did not start")
}

// auditGroup has calls whose events go to a file. A round has more calls than
// events fit into the queue of the guard, so that calls wait for a slow file.
func auditGroup() group {
	plain := same(message(validArguments))
	return group{name: "audit", batch: 100 * time.Millisecond, variants: []variant{
		guarded("audit_discarded", full, plain, checkOrder),
		toFile("audit_file", plain),
	}}
}

func toFile(name string, next func() []byte) variant {
	return guardedWith(name, full, next, func() ([]guard.Option, func(), error) {
		dir, err := os.MkdirTemp("", "bench")
		if err != nil {
			return nil, nil, err
		}
		end := func() { _ = os.RemoveAll(dir) }
		sink, err := audit.OpenFile(filepath.Join(dir, "audit.jsonl"))
		if err != nil {
			end()
			return nil, nil, fmt.Errorf("audit: %w", err)
		}
		return []guard.Option{guard.WithAudit(sink)}, func() { _ = sink.Close(); end() }, nil
	})
}
