package redisstore

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"

	"github.com/toolcontract/toolcontract/store"
)

// A Store is a [store.Store] in Redis. [New] and [Open] return one; the zero
// Store is not usable. It is safe for concurrent use.
type Store struct {
	store.Store

	operations *operations
	owned      bool // Close closes the client
}

// operations is the store of a [Store].
type operations struct {
	client  redis.UniversalClient
	limits  limits
	scripts scripts
	shift   string       // added to the server's clock, in microseconds
	logger  *slog.Logger // nil leaves the logger of go-redis alone
}

// New returns a store that uses a client such as a [redis.Client] or a
// [redis.ClusterClient]. The caller owns the client and closes it. New sends
// nothing; [Store.Check] does. An error names the invalid option.
//
// Set ContextTimeoutEnabled on the client. An operation returns when its
// context is done in any case, but without this setting its connection stays
// busy until the client's ReadTimeout.
func New(client redis.UniversalClient, opts ...Option) (*Store, error) {
	if client == nil {
		return nil, errors.New("redisstore: New: the client is nil")
	}
	s := &operations{client: client, limits: limits{defaultMaxEntries, defaultMaxBytes}, shift: "0"}
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("redisstore: an option is nil")
		}
		if err := opt.apply(s); err != nil {
			return nil, err
		}
	}
	s.scripts = newScripts(serverClock, s.limits)
	if s.logger != nil {
		redis.SetLogger(driverLog{s.logger})
	}
	return &Store{Store: s, operations: s}, nil
}

// Open returns a store with its own client, which [Store.Close] closes. The URL
// is redis://user:password@host:port/database, rediss:// for TLS, or
// unix://user:password@/path?db=database, with the parameters of
// [redis.ParseURL]. Open sends nothing; [Store.Check] does. Errors contain no
// part of the URL.
func Open(url string, opts ...Option) (*Store, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("redisstore: Open: the URL %s", urlMistake(url, err))
	}
	options.ContextTimeoutEnabled = true
	s, err := New(redis.NewClient(options), opts...)
	if err != nil {
		return nil, err
	}
	s.owned = true
	return s, nil
}

// Close closes the connections of a store from [Open]; operations in progress
// fail. It does nothing for a store from [New]. Closing twice is not an error.
func (s *Store) Close() error {
	if !s.owned {
		return nil
	}
	if err := s.operations.client.Close(); err != nil && !errors.Is(err, redis.ErrClosed) {
		return failure(err)
	}
	return nil
}

// IsLocal returns false: other processes can use the same records.
func (s *operations) IsLocal() bool { return false }

// Epoch returns the empty text, because records outlive the processes. A Redis
// that loses its data gets no new epoch.
func (s *operations) Epoch() string { return "" }
