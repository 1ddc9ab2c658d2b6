package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/toolcontract/toolcontract/store"
)

// oldest is the oldest version of Redis that was tested.
const oldest = 7

// Check checks the server, or every primary of a cluster. It returns an error
// if the server does not answer, or does not let the store run its scripts on
// its keys. The warnings are sentences for the server's operator, in
// alphabetical order: the server may evict keys, it is older than the oldest
// tested version, or it does not report its configuration. They are nil if
// there are none.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	var (
		mu       sync.Mutex
		warnings []string
	)
	look := func(ctx context.Context, client redis.Cmdable) error {
		found, err := warningsOf(ctx, client)
		mu.Lock()
		defer mu.Unlock()
		warnings = append(warnings, found...)
		return err
	}
	each := func(ctx context.Context, client *redis.Client) error { return look(ctx, client) }
	var err error
	switch client := s.operations.client.(type) {
	case *redis.ClusterClient:
		err = client.ForEachMaster(ctx, each)
	case *redis.Ring:
		err = client.ForEachShard(ctx, each)
	default:
		err = look(ctx, client)
	}
	if err != nil {
		return nil, failure(err)
	}
	if _, err := s.Get(ctx, store.Scope{}.Key("")); err != nil {
		return nil, err
	}
	slices.Sort(warnings)
	return slices.Compact(warnings), nil
}

// warningsOf uses INFO, because many servers allow it but not CONFIG.
func warningsOf(ctx context.Context, client redis.Cmdable) ([]string, error) {
	if err := client.Ping(ctx).Err(); err != nil {
		return nil, err
	}
	info, err := client.Info(ctx).Result()
	var refused redis.Error
	switch {
	case errors.As(err, &refused):
		return []string{
			"redis does not allow INFO, so its configuration is unknown: make sure that maxmemory-policy is noeviction",
		}, nil
	case err != nil:
		return nil, err
	}
	var warnings []string
	if policy := infoField(info, "maxmemory_policy"); policy == "" {
		warnings = append(warnings, "redis does not report its maxmemory-policy: make sure that it is noeviction")
	} else if policy != "noeviction" {
		warnings = append(warnings, fmt.Sprintf("redis may evict records (maxmemory-policy %s), and a call may then "+
			"execute twice: set noeviction", policy))
	}
	version := infoField(info, "redis_version")
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil {
		warnings = append(warnings, "redis does not report its version")
	} else if n < oldest {
		warnings = append(warnings, fmt.Sprintf("redis %s is older than the oldest tested version, %d", version, oldest))
	}
	return warnings, nil
}

func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
