package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// story makes the calls. Duplicates of many orders arrive at once, and
// meanwhile one server after the other is killed in the middle of an order.
// Then every caller asks again, which is a repetition of its call. At last, the
// requests of the killed servers that were still on their way arrive, and
// duplicates of all orders.
func (s *scenario) story(ctx context.Context) error {
	kills := min(mostKills, s.tally.Keys-1)
	others := s.tally.Keys - kills
	share := s.calls / 3 / kills
	for i := range kills {
		var traffic sync.WaitGroup
		traffic.Go(func() {
			// Duplicates follow each other.
			s.hammer(ctx, share, func(n int) string { return order(kills + (i*share+n)*others/(kills*share)) })
		})
		err := s.kill(ctx, order(i), moment(i)%moments)
		traffic.Wait()
		if err != nil {
			return err
		}
	}
	if err := errors.Join(pause(ctx, lease), s.askAgain(ctx)); err != nil {
		return err
	}
	s.warehouse.arrive()
	s.call(ctx, order(0), otherQuantity) // conflicts with the placed order
	s.hammer(ctx, s.left(), func(i int) string { return order(i % s.tally.Keys) })
	s.tally.late = s.warehouse.refusals()
	s.tally.addEffects(s.warehouse.all())
	return ctx.Err()
}

// left returns the number of calls that are still to be made.
func (s *scenario) left() int { return s.calls - s.tally.made() }

func (s *scenario) call(ctx context.Context, order string, quantity int) contract.Outcome {
	o, out, err := place(ctx, s.client, order, quantity)
	s.tally.addCall(order, o, out, err)
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

// kill places an order and kills its server at a moment. The caller gets no
// answer.
func (s *scenario) kill(ctx context.Context, order string, at moment) error {
	calling, reached := ctx, (<-chan effect)(nil)
	if at == answered {
		calling = context.WithValue(ctx, answerLost{}, true)
	} else {
		reached = s.warehouse.hold(order, at)
	}
	ended := make(chan contract.Outcome, 1)
	go func() { ended <- s.call(calling, order, quantity) }()
	var name string
	select {
	case e := <-reached:
		name = e.Server
	case url := <-s.balancer.lost:
		name = s.at(url)
	case o := <-ended:
		return fmt.Errorf("%s did not get to its moment: %s %s", order, o.Status, o.Code)
	}
	if err := s.restart(ctx, name); err != nil {
		return err
	}
	<-ended
	s.tally.killed[order] = at
	return nil
}

// askAgain repeats the call of each order until its caller knows what happened.
func (s *scenario) askAgain(ctx context.Context) error {
	errs := make([]error, s.tally.Keys)
	var callers sync.WaitGroup
	for i := range errs {
		callers.Go(func() { errs[i] = s.untilKnown(ctx, order(i)) })
	}
	callers.Wait()
	return errors.Join(errs...)
}

// untilKnown repeats a call until it has a result, each time after the delay
// that the server advised.
func (s *scenario) untilKnown(ctx context.Context, order string) error {
	for s.left() > s.tally.Keys {
		o := s.call(ctx, order, quantity)
		if o.Status == contract.StatusOK || o.Status == contract.StatusReplayed {
			return nil
		}
		if err := pause(ctx, time.Duration(o.RetryAfterMs)*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("nobody knows what became of %s", order)
}

// pause waits, or returns the error of ctx if that ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
