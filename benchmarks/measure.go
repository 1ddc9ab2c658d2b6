package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// A variant is one way to do the work of a group.
type variant struct {
	name string
	// open prepares the variant. It returns one operation, and the function
	// that ends what open started. The operation checks its answer.
	open func() (op func() error, end func(), err error)
	// times is how many operations one call of op does. 0 means 1.
	times int
	// clock measures the operations: it returns the time since any fixed
	// moment. Nil means [wallTime].
	clock func() time.Duration
}

// began is the moment from which [wallTime] counts.
var began = time.Now()

func wallTime() time.Duration { return time.Since(began) }

// busyTime returns the processor time of this process, divided by the number of
// processors. While operations keep all processors busy, it grows as fast as
// the wall time on an otherwise idle machine. Other programs do not change it.
func busyTime() time.Duration { return processorTime() / time.Duration(runtime.GOMAXPROCS(0)) }

// inProcessorTime measures a group in the processor time of this process, which
// other programs hardly change.
func inProcessorTime(g group) group {
	for i := range g.variants {
		g.variants[i].clock = processorTime
	}
	return g
}

// A group has variants that are compared with each other.
type group struct {
	name     string
	variants []variant
	// batch is how long one variant runs in one round. 0 means
	// [defaultBatch].
	batch time.Duration
}

const (
	defaultBatch = 4 * time.Millisecond
	// steadyBatch is so long that the garbage of short calls is collected in
	// each batch.
	steadyBatch = 25 * time.Millisecond
)

// Figures are the figures of a group: nanoseconds for one operation, of each
// variant in each round, and allocations of one operation.
type figures struct {
	ns     map[string][]float64
	allocs map[string]float64
}

// measure runs the variants of a group in rounds, in a random order.
func measure(g group, rounds int) (figures, error) {
	f := figures{ns: map[string][]float64{}, allocs: map[string]float64{}}
	open := make([]running, 0, len(g.variants))
	defer func() {
		for _, r := range open {
			r.end()
		}
	}()
	for _, v := range g.variants {
		r, err := start(v, max(g.batch, defaultBatch))
		if err != nil {
			return f, fmt.Errorf("%s: %s: %w", g.name, v.name, err)
		}
		open = append(open, r)
		f.allocs[v.name] = r.allocs
	}
	for range rounds {
		rand.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		for _, r := range open {
			ns, err := r.run()
			if err != nil {
				return f, fmt.Errorf("%s: %s: %w", g.name, r.name, err)
			}
			f.ns[r.name] = append(f.ns[r.name], ns)
		}
		// The order of the figures is that of the rounds for all variants, so
		// that ratios compare figures of the same round.
	}
	return f, nil
}

// A running variant is open and calibrated.
type running struct {
	variant

	op     func() error
	end    func()
	batch  int // operations in one round
	allocs float64
}

// start opens a variant, warms it up, counts its allocations, and finds how
// many operations fill a batch.
func start(v variant, batch time.Duration) (running, error) {
	op, end, err := v.open()
	if err != nil {
		return running{}, err
	}
	r := running{variant: v, op: op, end: end, batch: 1}
	if _, err := r.run(); err != nil {
		end()
		return running{}, err
	}
	begin := time.Now()
	n := 0
	for ; time.Since(begin) < 10*batch && n < 2000; n++ {
		if err := op(); err != nil {
			end()
			return running{}, err
		}
	}
	r.batch = max(1, int(float64(n)*float64(batch)/float64(time.Since(begin))))
	r.allocs = allocations(op, min(200, max(1, n/4)), max(1, v.times))
	return r, nil
}

// run runs one batch and returns the nanoseconds of one operation.
func (r running) run() (float64, error) {
	clock := r.clock
	if clock == nil {
		clock = wallTime
	}
	begin := clock()
	for range r.batch {
		if err := r.op(); err != nil {
			return 0, err
		}
	}
	return float64(clock()-begin) / float64(r.batch) / float64(max(1, r.times)), nil
}

// allocations counts those of the whole process, because servers work on other
// goroutines too.
func allocations(op func() error, runs, times int) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		_ = op() // it has succeeded before
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(runs) / float64(times)
}

// median returns the median of values, which must not be empty.
func median(values []float64) float64 { return quantile(values, 0.5) }

func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low := int(at)
	if low+1 == len(sorted) {
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// A ratio is the median of a quotient over the rounds, and its quartiles.
type ratio struct{ median, low, high float64 }

// over returns the quotient of two sums of figures, round by round.
func over(rounds int, quotient func(round int) float64) ratio {
	values := make([]float64, rounds)
	for i := range values {
		values[i] = quotient(i)
	}
	return ratio{median(values), quantile(values, 0.25), quantile(values, 0.75)}
}
