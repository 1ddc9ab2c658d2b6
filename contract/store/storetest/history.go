package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// A HistoryError is a history in which a store answered what it must not.
type HistoryError struct {
	// Seed makes the same history again: CheckHistory(newHarness, Seed, 1).
	Seed uint64
	// Steps are those that were taken, the wrong one last.
	Steps []string
	// Message says in what the last answer was wrong.
	Message string
}

// Error returns the seed, the message and every step on a line of its own.
func (e *HistoryError) Error() string {
	return fmt.Sprintf("storetest: history with seed %d: %s\n\t%s", e.Seed, e.Message, strings.Join(e.Steps, "\n\t"))
}

// Is reports whether target is [ErrRule].
func (e *HistoryError) Is(target error) bool { return target == ErrRule }

// History lets three clients, each with several owners, work on two keys of a store, in n histories of 20 to
// 40 random steps, which the seeds 1 to n make. Any step may be lost on its way, or its reply, after which the
// client repeats it. Where the harness has them, they spend nonces and count too. Each answer is compared with that of a model of the rules. newHarness is called once. The
// first history that goes wrong fails the test, with its seed and its steps.
func History(t *testing.T, newHarness func(t *testing.T) Harness, n int) {
	t.Helper()
	if err := CheckHistory(func() Harness { return newHarness(t) }, 1, n); err != nil {
		t.Error(err)
	}
}

// CheckHistory is [History] outside a test, of n histories from the first seed on. The error is a
// [*HistoryError], or says that the harness lacks Store or Advance.
func CheckHistory(newHarness func() Harness, first uint64, n int) error {
	h := newHarness()
	if h.Store == nil || h.Advance == nil {
		return errors.New("storetest: the harness lacks Store or Advance")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := newProbe(ctx, h)
	for i := range n {
		if err := newHistory(p, first+uint64(i)).run(); err != nil {
			return err
		}
	}
	return nil
}

const (
	clients = 3
	// spares is how many owners a client has at a time: the one it works with, and such as it gave up, which
	// come back late.
	spares = 2
)

type history struct {
	*probe
	seed   uint64
	rng    *rand.Rand
	model  *model
	store  *Faulty
	lost   context.Context // is done
	keys   [2]store.Key
	nonces [2]store.Key
	counts [2]store.Key
	owners [clients][spares]store.Owner
	names  map[store.Owner]string
	works  map[store.Owner]int // on which key, most of the time
	repeat [clients]*step      // what the client did not hear the reply to
	steps  []string
}

func newHistory(p *probe, seed uint64) *history {
	lost, cancel := context.WithCancel(p.ctx)
	cancel()
	x := &history{
		probe: p, seed: seed, rng: rand.New(rand.NewPCG(seed, 0)), model: newModel(),
		store: NewFaulty(p.Store), lost: lost, names: map[store.Owner]string{}, works: map[store.Owner]int{},
	}
	principal := strconv.FormatUint(seed, 10)
	for i := range x.keys {
		x.keys[i] = p.keyOf(principal, "key "+strconv.Itoa(i))
		x.nonces[i] = p.keyOf(principal, "nonce "+strconv.Itoa(i))
		x.counts[i] = p.keyOf(principal, "counts "+strconv.Itoa(i))
	}
	for c := range x.owners {
		for range spares {
			x.newOwner(c)
		}
	}
	return x
}

// newOwner gives a client an owner to work with; the one it had longest is gone.
func (x *history) newOwner(client int) {
	owners := &x.owners[client]
	copy(owners[1:], owners[:])
	owners[0] = store.NewOwner()
	x.works[owners[0]] = x.rng.IntN(len(x.keys))
	x.names[owners[0]] = fmt.Sprintf("client %d, owner %d", client, len(x.names))
}

func (x *history) run() error {
	for range 20 + x.rng.IntN(21) {
		if x.chance(18) {
			d := x.pause()
			x.steps = append(x.steps, "time passes: "+d.String())
			x.Advance(d)
			x.model.advance(d)
			continue
		}
		if err := x.take(); err != nil {
			return err
		}
	}
	return nil
}

func (x *history) chance(percent int) bool { return x.rng.IntN(100) < percent }

// take lets one client take a step, and compares.
func (x *history) take() error {
	client := x.rng.IntN(clients)
	s := x.repeat[client]
	if s == nil || x.chance(30) {
		s = x.next(client)
	} else {
		x.repeat[client] = nil
	}
	fate := x.rng.IntN(100)
	switch {
	case fate < 5: // lost on its way
		x.steps = append(x.steps, s.text+" (lost)")
		x.store.FailBefore(s.operation, x.store.Count(s.operation), nil)
		if got := s.do(x.ctx, x.store); !errors.Is(got.err, ErrFault) {
			return x.wrong("the error is %v instead of %v", got.err, ErrFault)
		}
		x.repeat[client] = s
		return x.look(s.claim.Key)
	case fate < 10: // given up before it began
		x.steps = append(x.steps, s.text+" (cancelled)")
		if s.do(x.lost, x.store).err == nil {
			return x.wrong("no error, with a context that is done")
		}
		x.repeat[client] = s
		return x.look(s.claim.Key)
	}
	return x.judge(client, s, fate >= 80)
}

// judge lets the store and the model take the same step. The client does not hear a reply that is lost, and
// repeats the step.
func (x *history) judge(client int, s *step, lost bool) error {
	x.steps = append(x.steps, s.text)
	if lost {
		x.steps[len(x.steps)-1] += " (reply lost)"
		x.store.FailAfter(s.operation, x.store.Count(s.operation), nil)
		x.repeat[client] = s
	}
	want, open := s.want(x.model)
	got := s.do(x.ctx, x.store)
	if !errors.Is(got.err, ErrFault) {
		if message := got.differs(want, x.near); message != "" {
			return x.wrong("%s", message)
		}
	}
	if open {
		r, err := x.Store.Get(x.ctx, s.claim.Key)
		if err != nil {
			return x.wrong("Get: %v", err)
		}
		x.model.records[s.claim.Key].begun = r.Started
	}
	return x.look(s.claim.Key)
}

// look compares a record, and counts, with those of the model, now and then.
func (x *history) look(key store.Key) error {
	if x.chance(50) {
		return nil
	}
	r, err := x.Store.Get(x.ctx, key)
	if err != nil {
		return x.wrong("Get: %v", err)
	}
	if message := differs(r, x.model.get(key), x.near); message != "" {
		return x.wrong("afterwards, %s", message)
	}
	counts := x.counts[x.rng.IntN(len(x.counts))]
	n, err := x.Store.Max(x.ctx, counts)
	if err != nil {
		return x.wrong("Max: %v", err)
	}
	if want := x.model.counts[counts].n; n != want {
		return x.wrong("afterwards, the count is %d instead of %d", n, want)
	}
	return nil
}

func (x *history) wrong(format string, args ...any) error {
	return &HistoryError{Seed: x.seed, Steps: x.steps, Message: fmt.Sprintf(format, args...)}
}

// The times of a history. Where the clock is exact its ends are met, a tick before and at them. Where it is
// not, all ends lie half an hour away from every step.

func (x *history) pause() time.Duration {
	d := time.Duration(1+x.rng.IntN(2)) * time.Hour
	if x.Exact {
		return []time.Duration{d, d - tick, tick}[x.rng.IntN(3)]
	}
	return d
}

// last returns a duration of up to n hours, and half an hour where the clock is not exact.
func (x *history) last(n int) time.Duration {
	d := time.Duration(1+x.rng.IntN(n)) * time.Hour
	if x.Exact {
		return d
	}
	return d + slack
}

// next makes a step of a client.
func (x *history) next(client int) *step {
	if x.chance(8) {
		x.newOwner(client)
	}
	owner := x.owners[client][0]
	if x.chance(20) {
		owner = x.owners[client][1+x.rng.IntN(spares-1)]
	}
	k := x.works[owner]
	if x.chance(10) {
		k = x.rng.IntN(len(x.keys))
	}
	// Most steps are such as can succeed: of who holds the record, or else a claim.
	operation := x.operation()
	if r := x.model.records[x.keys[k]]; (r == nil || r.owner != owner) && x.chance(60) {
		operation = Claim
	}
	s := &step{operation: operation, claim: store.Claim{Key: x.keys[k], Owner: owner}}
	detail := ""
	switch s.operation {
	case Claim:
		detail = x.claiming(s)
	case Renew:
		s.lease = x.last(6)
		detail = " for " + s.lease.String()
	case Complete:
		detail = x.completing(s)
	case Resolve:
		s.resolution = store.Happened
		if x.chance(50) {
			s.resolution = store.DidNotHappen
		}
		detail = " as " + s.resolution.String()
	case Spend:
		detail = x.spending(s)
	case Add, Reset:
		i := x.rng.IntN(len(x.counts))
		s.counts, s.lease = x.counts[i], x.last(5)
		s.text = fmt.Sprintf("%s: %s counts %d within %v", x.names[owner], s.operation, i, s.lease)
		return s
	default: // the key and the owner are all there is
	}
	s.text = fmt.Sprintf("%s: %s key %d%s", x.names[owner], s.operation, k, detail)
	return s
}

func (x *history) operation() Operation {
	often := []Operation{Claim, Claim, Claim, Mark, Mark, Renew, Renew, Complete, Complete, Release, Get, Resolve}
	often = append(often, Spend, Add, Add, Reset)
	return often[x.rng.IntN(len(often))]
}

func (x *history) claiming(s *step) string {
	c := &s.claim
	arguments := "{}"
	if x.chance(10) {
		arguments = "[]"
	}
	c.Fingerprint = store.Fingerprint([]byte(arguments))
	c.Lease = x.last(3)
	c.Retention = c.Lease + time.Duration(x.rng.IntN(5))*time.Hour
	c.Start, c.Rerun = x.chance(50), x.chance(25)
	detail := fmt.Sprintf(", arguments %s, for %v of %v", arguments, c.Lease, c.Retention)
	if c.Start {
		detail += ", Start"
	}
	if c.Rerun {
		detail += ", Rerun"
	}
	if x.chance(25) {
		detail += x.spending(s)
	}
	if x.chance(30) {
		i := x.rng.IntN(len(x.counts))
		c.Budget = store.Budget{Key: x.counts[i], Limit: 1 + x.rng.Int64N(2)}
		detail += fmt.Sprintf(", within %d of counts %d", c.Budget.Limit, i)
	}
	return detail
}

func (x *history) spending(s *step) string {
	n := x.rng.IntN(len(x.nonces))
	s.claim.Nonce = store.Nonce{Key: x.nonces[n], TTL: x.last(6)}
	return fmt.Sprintf(", nonce %d for %v", n, s.claim.Nonce.TTL)
}

func (x *history) completing(s *step) string {
	c := &s.completion
	c.Key, c.Owner, c.Retention = s.claim.Key, s.claim.Owner, x.last(5)
	if x.chance(15) {
		c.Retention = -time.Duration(x.rng.IntN(2)) * time.Hour
	}
	c.State = []store.State{store.Completed, store.Failed, store.Unknown}[x.rng.IntN(3)]
	if c.State.IsFinished() {
		c.Result = [][]byte{nil, {}, []byte("null"), []byte(strconv.Itoa(len(x.steps)))}[x.rng.IntN(4)]
	}
	detail := fmt.Sprintf(" as %v with %q for %v", c.State, c.Result, c.Retention)
	if x.chance(30) {
		i := x.rng.IntN(len(x.counts))
		c.Forget = x.counts[i]
		detail += fmt.Sprintf(", forgets counts %d", i)
	}
	return detail
}
