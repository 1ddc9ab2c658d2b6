package redisstore_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/redisstore"
)

const (
	lease     = time.Minute
	retention = time.Hour
)

func open(tb testing.TB, url string, opts ...redisstore.Option) *redisstore.Store {
	tb.Helper()
	s, err := redisstore.Open(url, opts...)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close()) })
	return s
}

// operator returns a client that reads the stored data.
func operator(tb testing.TB, url string) *redis.Client {
	tb.Helper()
	options, err := redis.ParseURL(url)
	require.NoError(tb, err)
	client := redis.NewClient(options)
	tb.Cleanup(func() { _ = client.Close() })
	return client
}

func keyOf(principal, key string) store.Key {
	return store.Scope{Namespace: "n", Principal: principal, Tool: "t"}.Key(key)
}

func claim(key store.Key, owner store.Owner) store.Claim {
	return store.Claim{
		Key: key, Owner: owner, Fingerprint: store.Fingerprint([]byte("{}")),
		Lease: lease, Retention: retention, Start: true,
	}
}

func newClaim(tb testing.TB) store.Claim {
	tb.Helper()
	return claim(keyOf(tb.Name(), "key"), store.NewOwner())
}

func completion(c store.Claim, result string) store.Completion {
	return store.Completion{
		Key: c.Key, Owner: c.Owner, State: store.Completed, Result: []byte(result), Retention: retention,
	}
}

// A proxy stands between a client and a server. It can delay or lose the
// server's replies.
type proxy struct {
	URL string

	upstream string
	mu       sync.Mutex
	held     chan struct{} // closed when replies may pass; nil if they may
	lose     int           // how many replies to lose, each with its connection
	lost     int
}

// newProxy starts a proxy to a server on a Unix socket.
func newProxy(tb testing.TB, url string) *proxy {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	p := &proxy{URL: "redis://" + listener.Addr().String(), upstream: strings.TrimPrefix(url, "unix://")}
	ctx, cancel := context.WithCancel(context.Background())
	tb.Cleanup(func() {
		cancel()
		_ = listener.Close()
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(ctx, client)
		}
	}()
	return p
}

func (p *proxy) serve(ctx context.Context, client net.Conn) {
	server, err := new(net.Dialer).DialContext(ctx, "unix", p.upstream)
	if err != nil {
		_ = client.Close()
		return
	}
	end := sync.OnceFunc(func() {
		_ = client.Close()
		_ = server.Close()
	})
	stop := context.AfterFunc(ctx, end)
	defer stop()
	defer end()
	go func() {
		defer end()
		pipe(server, client, func() bool { return true })
	}()
	pipe(client, server, func() bool { return p.passes(ctx) })
}

func pipe(dst, src net.Conn, passes func() bool) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := src.Read(buffer)
		if n > 0 {
			if !passes() {
				return
			}
			if _, err := dst.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// passes waits while replies are delayed, and reports whether this reply
// passes.
func (p *proxy) passes(ctx context.Context) bool {
	p.mu.Lock()
	held := p.held
	lose := p.lose > 0
	if lose {
		p.lose--
		p.lost++
	}
	p.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			return false
		}
	}
	return !lose
}

// Hold delays all replies until release is called.
func (p *proxy) Hold() (release func()) {
	held := make(chan struct{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = held
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.held = nil
		close(held)
	}
}

// Lose loses the next n replies.
func (p *proxy) Lose(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lose = n
}

// Lost returns how many replies were lost.
func (p *proxy) Lost() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}
