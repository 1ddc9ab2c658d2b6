package pages

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/toolcontract/toolcontract/store"
)

const (
	// triesAtOnce is how many secrets the visitors from one source may try at
	// once, and triesRefill the time after which they have all those tries
	// again.
	triesAtOnce = 20
	triesRefill = 20 * time.Second
	// Tries by all visitors beyond allTriesAtOnce wait, so that one starts
	// every allTriesPause. None waits longer than tryDelay.
	allTriesAtOnce = 50
	allTriesPause  = 100 * time.Millisecond
	tryDelay       = 5 * time.Second

	// networkBits is the length of the prefix that an IPv6 provider gives a
	// customer at least.
	networkBits = 64
)

// tries limits how often visitors may try a secret.
type tries struct {
	sources *store.MemoryLimiter
	mu      sync.Mutex // a reservation is cancelled before the next one
	all     *rate.Limiter
}

func newTries() (*tries, error) {
	sources, err := store.NewMemoryLimiter()
	return &tries{sources: sources, all: rate.NewLimiter(rate.Every(allTriesPause), allTriesAtOnce)}, err
}

// allow reports whether a visitor may try now. It returns after a delay that
// depends on the number of tries by everyone.
func (t *tries) allow(ctx context.Context, source string) bool {
	wait, err := t.sources.Take(ctx, store.Bucket{Name: source, Calls: triesAtOnce, Per: triesRefill})
	if err != nil || wait > 0 {
		return false
	}
	delay := t.delay()
	if delay == 0 {
		return true
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(delay):
		return true
	}
}

// delay returns how long a try by anyone waits. A reservation beyond the longest
// delay is given back whole, which a limiter does only with its newest one.
func (t *tries) delay() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	reservation := t.all.Reserve()
	delay := reservation.Delay()
	if delay > tryDelay {
		reservation.Cancel()
		delay = tryDelay
	}
	return delay
}

// source returns the address that a request comes from, or its network. If a
// proxy header is configured, it is the header's last address, which the proxy
// itself wrote.
func source(r *http.Request, proxyHeader string) string {
	if proxyHeader != "" {
		all := strings.Join(r.Header.Values(proxyHeader), ",")
		if a, ok := parseAddress(all[strings.LastIndex(all, ",")+1:]); ok {
			return network(a)
		}
	}
	if a, ok := parseAddress(r.RemoteAddr); ok {
		return network(a)
	}
	return "unknown"
}

// parseAddress reads an IP address with or without a port.
func parseAddress(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if both, err := netip.ParseAddrPort(text); err == nil {
		return both.Addr().Unmap(), true
	}
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return a.Unmap(), err == nil
}

func network(a netip.Addr) string {
	if prefix, err := a.Prefix(networkBits); a.Is6() && err == nil {
		return prefix.String()
	}
	return a.String()
}
