package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"github.com/toolcontract/toolcontract/contract"
)

const (
	// minCalls leaves enough calls for the duplicates of the killed call.
	minCalls = 40
	// callsPerOrder is the number of calls for each order.
	callsPerOrder = 10
	// atOnce is the number of concurrent calls.
	atOnce = 16
	// afterKill is the number of concurrent duplicates of the killed call.
	afterKill = 3
)

// The quantity of every order, and the quantity of the conflicting call.
const (
	quantity      = 1
	otherQuantity = 2
)

// A scenario holds the state of a run.
type scenario struct {
	warehouse *warehouse
	servers   map[string]*child
	balancer  *balancer
	client    *client.Client
	tally     *tally
	calls     int // the total to make
}

// runScenario starts all processes and makes the calls. First come duplicates
// of all orders except the first, then the first order, whose server is killed,
// and its duplicates, then duplicates of all orders. The tally is nil if the
// processes did not start.
func runScenario(ctx context.Context, store string, calls int) (a *tally, err error) {
	s := &scenario{servers: map[string]*child{}, calls: calls, tally: &tally{Keys: calls / callsPerOrder}}
	var closers []func() error
	defer func() {
		for _, closed := range slices.Backward(closers) {
			err = errors.Join(err, closed())
		}
	}()
	if store == "" {
		redis, err := startRedis(ctx)
		if err != nil {
			return nil, err
		}
		closers = append(closers, redis.end)
		store = redis.url
	}
	s.warehouse, err = openWarehouse(ctx)
	if err != nil {
		return nil, err
	}
	closers = append(closers, s.warehouse.close)

	// The namespace separates the orders of several runs on one Redis.
	shared := settings{Store: store, Warehouse: s.warehouse.url, Namespace: rand.Text(), SealingKey: make([]byte, 32)}
	rand.Read(shared.SealingKey) // never fails
	var urls []string
	for _, name := range []string{"a", "b", "c"} {
		shared.Name = name
		server, err := startServer(ctx, shared)
		if err != nil {
			return nil, err
		}
		s.servers[name] = server
		urls = append(urls, server.url)
		closers = append(closers, server.end)
	}
	if s.balancer, err = balance(ctx, urls...); err != nil {
		return nil, err
	}
	closers = append(closers, s.balancer.close)
	if s.client, err = connect(ctx, s.balancer.url); err != nil {
		return nil, err
	}
	closers = append(closers, s.client.Close)
	return s.tally, s.script(ctx)
}

// order returns the name of the i-th order. The server of the first one is
// killed.
func order(i int) string { return fmt.Sprintf("order-%04d", i) }

func (s *scenario) script(ctx context.Context) error {
	others := s.tally.Keys - 1
	first := s.calls / 2
	s.hammer(ctx, first, func(i int) string { return order(1 + i*others/first) }) // duplicates follow each other
	if err := s.killOne(ctx); err != nil {
		return err
	}
	s.call(ctx, order(1), otherQuantity) // conflicts with the placed order
	s.hammer(ctx, s.left(), func(i int) string { return order(i % s.tally.Keys) })
	s.tally.addEffects(s.warehouse.all())
	return ctx.Err()
}

// left returns the number of calls that are still to be made.
func (s *scenario) left() int { return s.calls - s.tally.Calls }

func (s *scenario) call(ctx context.Context, order string, quantity int) contract.Outcome {
	o, err := place(ctx, s.client, order, quantity)
	s.tally.addCall(o, err)
	return o
}

// hammer makes n calls, many at once, or fewer if ctx ends.
func (s *scenario) hammer(ctx context.Context, n int, orderOf func(i int) string) {
	next := make(chan string)
	var callers sync.WaitGroup
	for range atOnce {
		callers.Go(func() {
			for order := range next {
				s.call(ctx, order, quantity)
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- orderOf(i)
	}
	close(next)
	callers.Wait()
}

// killOne places the first order and kills the server that runs the call, after
// the warehouse got the order and before the outcome is recorded. Duplicates
// are in progress until the lease of the dead server's claim ends. From then on
// the outcome is unknown.
func (s *scenario) killOne(ctx context.Context) error {
	reached := s.warehouse.hold(order(0))
	answered := make(chan contract.Outcome, 1)
	go func() { answered <- s.call(ctx, order(0), quantity) }()
	select {
	case s.tally.victim = <-reached:
	case o := <-answered:
		return fmt.Errorf("the first order did not reach the warehouse: %s %s", o.Status, o.Code)
	}
	dead := s.servers[s.tally.victim.Server]
	if err := errors.Join(dead.kill(), s.balancer.drop(dead.url)); err != nil {
		return err
	}
	<-answered
	s.hammer(ctx, afterKill, func(int) string { return order(0) })
	wait := time.NewTimer(lease)
	defer wait.Stop()
	for s.left() > 1 {
		select {
		case <-wait.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		o := s.call(ctx, order(0), quantity)
		if o.Code != contract.CodeKeyInProgress {
			return nil
		}
		wait.Reset(time.Duration(o.RetryAfterMs) * time.Millisecond)
	}
	return errors.New("the duplicates of the killed call stayed in progress until the end")
}
