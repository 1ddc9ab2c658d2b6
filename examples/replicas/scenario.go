package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/client"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

const (
	// minCalls leaves enough calls for those that ask again.
	minCalls = 40
	// callsPerOrder is the number of calls for each order.
	callsPerOrder = 10
	// atOnce is the number of concurrent calls.
	atOnce = 16
	// mostKills is the largest number of killed servers.
	mostKills = 12
)

// The quantity of every order, and the quantity of the conflicting call.
const (
	quantity      = 1
	otherQuantity = 2
)

// A scenario holds the state of a run.
type scenario struct {
	warehouse *warehouse
	shared    settings
	servers   map[string]*child
	balancer  *balancer
	client    *client.Client
	tally     *tally
	calls     int // the total to make
	closers   []func() error
}

// runScenario starts all processes and makes the calls. The tally is nil if the
// processes did not start.
func runScenario(ctx context.Context, store string, sdk exampleserver.SDK, calls int) (a *tally, err error) {
	s := &scenario{servers: map[string]*child{}, calls: calls, tally: newTally(calls / callsPerOrder)}
	defer func() {
		for _, closed := range slices.Backward(s.closers) {
			err = errors.Join(err, closed())
		}
	}()
	if store == "" {
		redis, err := startRedis(ctx)
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, redis.end)
		store = redis.url
	}
	s.warehouse, err = openWarehouse(ctx)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, s.warehouse.close)

	// The namespace separates the orders of several runs on one Redis.
	s.shared = settings{
		Store: store, Warehouse: s.warehouse.url, Namespace: rand.Text(), SealingKey: make([]byte, 32), SDK: sdk,
		AsksWarehouse: true,
	}
	rand.Read(s.shared.SealingKey) // never fails
	var urls []string
	for _, name := range []string{"a", "b", "c"} {
		if err := s.start(ctx, name); err != nil {
			return nil, err
		}
		urls = append(urls, s.servers[name].url)
	}
	if s.balancer, err = balance(ctx, urls...); err != nil {
		return nil, err
	}
	s.closers = append(s.closers, s.balancer.close)
	if s.client, err = connect(ctx, s.balancer.url); err != nil {
		return nil, err
	}
	s.closers = append(s.closers, s.client.Close)
	return s.tally, s.story(ctx)
}

// start starts a server.
func (s *scenario) start(ctx context.Context, name string) error {
	own := s.shared
	own.Name = name
	server, err := startServer(ctx, own)
	if err != nil {
		return err
	}
	s.servers[name] = server
	s.closers = append(s.closers, server.end)
	return nil
}

// restart kills a server with SIGKILL and starts it again.
func (s *scenario) restart(ctx context.Context, name string) error {
	dead := s.servers[name]
	if err := errors.Join(dead.kill(), s.balancer.drop(dead.url)); err != nil {
		return err
	}
	if err := s.start(ctx, name); err != nil {
		return err
	}
	return s.balancer.add(s.servers[name].url)
}

// at returns the name of the server at an address.
func (s *scenario) at(url string) string {
	for name, server := range s.servers {
		if server.url == url {
			return name
		}
	}
	return ""
}

// order returns the name of the i-th order. The first ones are those whose
// server is killed.
func order(i int) string { return fmt.Sprintf("order-%04d", i) }
