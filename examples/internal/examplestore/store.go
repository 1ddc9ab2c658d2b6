// Package examplestore lets a server example share the records of its calls
// with other processes: it has the flag -store and opens the Redis behind it.
package examplestore

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store/redisstore"
)

const (
	// exampleKey seals results if there is no other key. It protects nothing,
	// because it is in this file.
	exampleKey = "the key of an example seals nothing that matters"
	// storeCheck bounds the check of the store at the start.
	storeCheck = 5 * time.Second
)

// A Store is the store of the flag -store. Without the flag it stands for the
// memory of the process.
type Store struct {
	// Name is that of the server. It separates the records of servers that
	// share a store.
	Name string
	// KeyEnv is the environment variable with the key that seals results before
	// they go to the store, in base64. It is not a flag, because every user of
	// a machine can read command lines.
	KeyEnv string

	url string
}

// Flags adds the flag -store.
func (s *Store) Flags(set *flag.FlagSet) {
	set.Func("store", "store the outcomes of calls in the Redis at `URL`, such as redis://127.0.0.1:6379/0, which "+
		"other processes may share; $"+
		s.KeyEnv+" has the key that seals them (default: the memory of this process)", func(url string) error {
		if url == "" {
			return errors.New("the value is empty")
		}
		s.url = url
		return nil
	})
}

// Open connects to the store and checks that it is configured safely.
func (s *Store) Open() (exampleserver.Backend, error) {
	if s.url == "" {
		return exampleserver.Backend{}, nil
	}
	key, warnings, err := s.sealingKey(os.Getenv(s.KeyEnv))
	if err != nil {
		return exampleserver.Backend{}, err
	}
	store, err := redisstore.Open(s.url, redisstore.WithLogger(slog.Default()))
	if err != nil {
		return exampleserver.Backend{}, fmt.Errorf("-store: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeCheck)
	defer cancel()
	found, err := store.Check(ctx)
	if err != nil {
		return exampleserver.Backend{}, fmt.Errorf("-store: %w", errors.Join(err, store.Close()))
	}
	return exampleserver.Backend{
		Options:  []guard.Option{guard.WithStore(store), guard.WithSealingKeys(key), guard.WithNamespace(s.Name)},
		Warnings: append(warnings, found...),
		Close:    store.Close,
	}, nil
}

// sealingKey decodes the key. If there is none, it returns exampleKey and a
// warning.
func (s *Store) sealingKey(encoded string) (key []byte, warnings []string, err error) {
	if encoded == "" {
		return []byte(exampleKey), []string{
			s.KeyEnv + " is not set: results are sealed with a key from the source of this example, which anyone can read; " +
				"for real data, set it to the same output of `openssl rand -base64 32` in every process",
		}, nil
	}
	key, err = base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) < 32 {
		return nil, nil, errors.New(s.KeyEnv + " must be base64 of at least 32 random bytes; run openssl rand -base64 32")
	}
	return key, nil, nil
}
