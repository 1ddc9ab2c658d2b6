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
	// minCalls leaves enough for the calls about the killed one.
	minCalls = 40
	// callsPerOrder is how many calls there are for each order.
	callsPerOrder = 10
	// atOnce is how many calls are on their way at once.
	atOnce = 16
	// afterKill is how many duplicates of the killed call are made at once.
	afterKill = 3
)

// The quantity of every order, and that of one that uses another's number.
const (
	quantity      = 1
	otherQuantity = 2
)

// A shop is everything that the scenario needs while it runs.
type shop struct {
	warehouse *warehouse
	servers   map[string]*child
	balancer  *balancer
	client    *client.Client
	account   *account
	calls     int // how many are to be made in all
}

// play plays the scenario: duplicates of all orders but the first; the first,
// whose server is killed; its duplicates; then duplicates of all.
func play(ctx context.Context, store string, calls int) (a *account, err error) {
	s := &shop{servers: map[string]*child{}, calls: calls, account: &account{Keys: calls / callsPerOrder}}
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

	// The namespace keeps the orders of earlier runs apart in a Redis that stays.
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
	return s.account, s.script(ctx)
}

// order names the i-th order. The first is the one whose server is killed.
func order(i int) string { return fmt.Sprintf("order-%04d", i) }

func (s *shop) script(ctx context.Context) error {
	others := s.account.Keys - 1
	first := s.calls / 2
	s.hammer(ctx, first, func(i int) string { return order(1 + i*others/first) }) // duplicates side by side
	if err := s.killOne(ctx); err != nil {
		return err
	}
	s.call(ctx, order(1), otherQuantity) // conflicts with what was placed
	s.hammer(ctx, s.left(), func(i int) string { return order(i % s.account.Keys) })
	s.account.settle(s.warehouse.all())
	return ctx.Err()
}

// left is how many calls are still to be made.
func (s *shop) left() int { return s.calls - s.account.Calls }

func (s *shop) call(ctx context.Context, order string, quantity int) contract.Outcome {
	o, err := place(ctx, s.client, order, quantity)
	s.account.enter(o, err)
	return o
}

// hammer makes n calls, many at once, or fewer where ctx ends.
func (s *shop) hammer(ctx context.Context, n int, orderOf func(i int) string) {
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

// killOne places the first order and kills the server that does so: after the
// warehouse was told, before anybody could record it. Duplicates are in progress
// until the lease of the dead server's claim is over. Then the outcome is
// unknown, and stays so.
func (s *shop) killOne(ctx context.Context) error {
	told := s.warehouse.hold(order(0))
	answered := make(chan contract.Outcome, 1)
	go func() { answered <- s.call(ctx, order(0), quantity) }()
	select {
	case s.account.victim = <-told:
	case o := <-answered:
		return fmt.Errorf("the order whose server was to be killed never reached the warehouse: %s %s", o.Status, o.Code)
	}
	dead := s.servers[s.account.victim.Server]
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
	return errors.New("the duplicates of the killed call were in progress all the time")
}
