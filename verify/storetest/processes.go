package storetest

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"
)

const (
	// processes is how many processes share a store, and clients is how many
	// clients each of them has.
	processes, clients = 3, 2
	// maxOrdering caps the search for an order of a history. A history whose
	// order is not found by then does not count as a failure.
	maxOrdering = 10 * time.Second
	// sample is how long histories are drawn if no number of them is given.
	sample = 5 * time.Second
)

// RunProcesses checks that several processes can share a store. It draws
// histories, like the rule "history" of [Run], and lets the processes run the
// operations at the same time. Now and then, a process is killed and another
// one starts. There must be some order of all operations in which the model
// gives the same replies. The flag -rapid.checks sets the number of histories.
// Without it, no new history starts after five seconds.
//
// The processes are the test binary itself, running the same test again. place
// makes empty storage and returns a string by which processes find it, such as
// a URL. It is called once, and open is called in each process. Only the
// harness's Store, Advance and Exact are used.
func RunProcesses(t *testing.T, place func(t *testing.T) string, open func(t *testing.T, place string) Harness) {
	t.Helper()
	if err := runProcesses(t, place, open); err != nil {
		t.Errorf("storetest: processes: %v\nThe rule: the operations of several processes have one order", err)
	}
}

func runProcesses(t *testing.T, place func(*testing.T) string, open func(*testing.T, string) Harness) error {
	t.Helper()
	if text, ok := os.LookupEnv(placeVariable); ok {
		serve(open(t, text))
		return nil
	}
	shared := &group{test: t, place: place(t)}
	defer shared.end()
	for i := range shared.members {
		shared.start(i)
	}
	h := Harness{test: t.Name(), Exact: shared.members[0].exact(t)}
	checks := flag.Lookup("rapid.checks")
	isSample := checks != nil && checks.Value.String() == checks.DefValue && os.Getenv("RAPID_CHECKS") == ""
	began := time.Now()
	return rule("processes", "", drawn(func(rt *rapid.T, t *runner) {
		if !isSample || time.Since(began) < sample {
			checkProcesses(rt, t, shared)
		}
	}), nil).do(h)
}

// A group is the processes that share a store.
type group struct {
	test    *testing.T
	place   string
	members [processes]*member
	ahead   time.Duration // how far Advance has moved the clocks
}

func (g *group) start(i int) {
	g.members[i] = startMember(g.test, g.place)
	g.members[i].advance(g.test, g.ahead)
}

func (g *group) end() {
	for _, m := range g.members {
		if m != nil {
			m.end()
		}
	}
}

func checkProcesses(rt *rapid.T, t *runner, g *group) {
	x := newHistory(rt, t)
	names := slices.Sorted(maps.Keys(operations))
	began := time.Now()
	var history []porcupine.Operation
	for range rapid.IntRange(1, 4).Draw(rt, "phases") {
		var steps []step
		for range rapid.IntRange(1, 4*processes*clients).Draw(rt, "steps") {
			s := operations[rapid.SampledFrom(names).Draw(rt, "operation")](x)
			s.do(t.ctx, t.model) // the next steps are drawn as if this one came first
			steps = append(steps, s)
		}
		killed := rapid.IntRange(0, 5*processes).Draw(rt, "killed")
		history = append(history, g.run(t.ctx, began, steps, killed)...)

		looks := []step{getting(x.records[0]), getting(x.records[1]), highest(x.counts[0]), highest(x.counts[1])}
		history = append(history, g.run(t.ctx, began, looks, processes)...)
		d := x.pause()
		t.model.advance(d)
		for _, m := range g.members {
			m.advance(g.test, d)
		}
		g.ahead += d
		at := int64(time.Since(began))
		history = append(history, porcupine.Operation{Input: pause(d), Call: at, Output: reply{}, Return: at})
	}
	if porcupine.CheckOperationsTimeout(t.asModel(), history, maxOrdering) == porcupine.Illegal {
		for _, o := range history {
			back := time.Duration(o.Return).String()
			if o.Return == math.MaxInt64 {
				back = "no answer"
			}
			t.note(fmt.Sprintf("client %d, %v to %s: %v: %s", o.ClientId, time.Duration(o.Call), back, o.Input, describe(o)))
		}
		t.broken("no order of these operations explains their answers")
	}
}

func describe(o porcupine.Operation) string {
	s, ok := o.Input.(step)
	r, _ := o.Output.(reply)
	if !ok {
		return "all processes"
	}
	return r.summary(s.operation)
}

// run lets the clients of all processes take the steps concurrently. Meanwhile
// it kills the process with the number killed, if there is one.
func (g *group) run(ctx context.Context, began time.Time, steps []step, killed int) []porcupine.Operation {
	history := make([]porcupine.Operation, len(steps))
	var wait sync.WaitGroup
	for c := range processes * clients {
		m := g.members[c%processes]
		wait.Go(func() {
			for i := c; i < len(steps); i += processes * clients {
				call := int64(time.Since(began))
				r := steps[i].do(ctx, m)
				back := int64(time.Since(began))
				unknown := r.err != nil && !isAnswer(r.err)
				if unknown {
					back = math.MaxInt64 // it may still take place
				}
				history[i] = porcupine.Operation{ClientId: c, Input: steps[i], Call: call, Output: r, Return: back}
				if unknown {
					return
				}
			}
		})
	}
	if killed < processes {
		g.members[killed].kill()
	}
	wait.Wait()
	if killed < processes {
		g.members[killed].end()
		g.start(killed)
	}
	return slices.DeleteFunc(history, func(o porcupine.Operation) bool { return o.Input == nil })
}

// isAnswer reports whether an error means that an operation changed nothing.
func isAnswer(err error) bool { return slices.Contains(answers, err) }

// asModel returns the model in the form that porcupine takes.
func (t *runner) asModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return newModel() },
		Step: func(state, input, output any) (bool, any) {
			m, _ := state.(*model)
			next := m.clone()
			switch input := input.(type) {
			case pause:
				next.advance(time.Duration(input))
				return true, next
			case step:
				got, _ := output.(reply)
				want := input.do(context.Background(), next)
				unknown := got.err != nil && !isAnswer(got.err)
				return unknown || got.differs(want, t.Harness) == "", next
			}
			return false, next
		},
		Equal: reflect.DeepEqual,
	}
}
