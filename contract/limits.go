package contract

import (
	"cmp"
	"strconv"
	"time"

	"github.com/toolcontract/toolcontract/internal/bound"
)

const (
	declaredTimeout          declaration[time.Duration] = "timeout"
	declaredCancellable      declaration[bool]          = "cancellable"
	declaredMaxConcurrent    declaration[int]           = "maxConcurrent"
	declaredMaxResultBytes   declaration[int64]         = "maxResultBytes"
	declaredMaxArgumentBytes declaration[int64]         = "maxArgumentBytes"
)

const ruleLimitRange = "limit.range"

// maxBytes is the largest size that a contract may allow.
const maxBytes = 1 << 30

func timeoutClause() clause {
	return clause{
		members: []string{"timeoutMs"},
		keys:    tagKeys{"timeout": parsedValue(declaredTimeout, time.ParseDuration, durationRemedy)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredTimeout, b.Timeout) },
		check:   checkTimeout,
		rules: []BuildRule{{ID: ruleLimitRange, Summary: "A limit is positive, and a size is at most 1 GiB; a timeout is in whole " +
			"milliseconds, and the time of a rate or a budget is in whole seconds."}},
	}
}

// Timeout limits how long the handler may run, in whole milliseconds. Then the
// handler's context ends, and the caller gets the code timeout. Default: no
// timeout.
func (b *Builder[In, Out]) Timeout(d time.Duration) *Builder[In, Out] {
	declaredTimeout.set(&b.verbs, d)
	return b
}

func checkTimeout(c *checker) {
	timeout, declared := declaredTimeout.in(&c.layer)
	if declared && (timeout <= 0 || timeout%time.Millisecond != 0) {
		c.bad(ruleLimitRange, "timeoutMs", "the timeout is not a positive number of milliseconds", c.advice(string(declaredTimeout),
			"use a duration such as Timeout(5*time.Second)", `write a duration such as timeout:"5s"`))
	}
	c.doc.Timeout = timeout
}

func cancellableClause() clause {
	return clause{
		members: []string{"cancellable"},
		keys:    tagKeys{"cancellable": flagValue(declaredCancellable)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredCancellable, b.Cancellable) },
		check:   func(c *checker) { c.doc.Cancellable = declaredCancellable.of(&c.layer) },
	}
}

// Cancellable cancels a write when its caller disconnects. By default only
// reads are cancelled; a write continues, because a disconnect is not a
// decision.
func (b *Builder[In, Out]) Cancellable() *Builder[In, Out] {
	declaredCancellable.set(&b.verbs, true)
	return b
}

func maxConcurrentClause() clause {
	return clause{
		members: []string{"maxConcurrent"},
		keys:    tagKeys{"maxConcurrent": parsedValue(declaredMaxConcurrent, strconv.Atoi, numberRemedy)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredMaxConcurrent, b.MaxConcurrent) },
		check:   checkMaxConcurrent,
	}
}

// MaxConcurrent limits how many calls run at once in this process. Any more
// answer unavailable. Default: no limit.
func (b *Builder[In, Out]) MaxConcurrent(n int) *Builder[In, Out] {
	declaredMaxConcurrent.set(&b.verbs, n)
	return b
}

func checkMaxConcurrent(c *checker) {
	n, declared := declaredMaxConcurrent.in(&c.layer)
	if declared && n <= 0 {
		c.bad(ruleLimitRange, "maxConcurrent", "the limit is not positive", "leave it out for none")
	}
	c.doc.MaxConcurrent = n
}

func maxResultBytesClause() clause {
	return clause{
		members:   []string{"maxResultBytes"},
		keys:      tagKeys{"maxResultBytes": parsedValue(declaredMaxResultBytes, parseInt64, numberRemedy)},
		base:      func(b *Base, l *layer) { fromBase(l, declaredMaxResultBytes, b.MaxResultBytes) },
		check:     func(c *checker) { c.doc.MaxResultBytes = c.size("maxResultBytes", declaredMaxResultBytes) },
		effective: func(d *Document) { d.MaxResultBytes = cmp.Or(d.MaxResultBytes, bound.DefaultResultBytes) },
	}
}

// MaxResultBytes limits the result's JSON, to at most 1 GiB. A larger result
// does not leave the server: its call answers [CodeResultTooLarge]. Default: 1
// MiB.
func (b *Builder[In, Out]) MaxResultBytes(n int64) *Builder[In, Out] {
	declaredMaxResultBytes.set(&b.verbs, n)
	return b
}

func maxArgumentBytesClause() clause {
	return clause{
		members:   []string{"maxArgumentBytes"},
		keys:      tagKeys{"maxArgumentBytes": parsedValue(declaredMaxArgumentBytes, parseInt64, numberRemedy)},
		base:      func(b *Base, l *layer) { fromBase(l, declaredMaxArgumentBytes, b.MaxArgumentBytes) },
		check:     func(c *checker) { c.doc.MaxArgumentBytes = c.size("maxArgumentBytes", declaredMaxArgumentBytes) },
		effective: func(d *Document) { d.MaxArgumentBytes = cmp.Or(d.MaxArgumentBytes, bound.DefaultArgumentBytes) },
	}
}

// MaxArgumentBytes limits the arguments' JSON, to at most 1 GiB. Default: 4
// MiB.
func (b *Builder[In, Out]) MaxArgumentBytes(n int64) *Builder[In, Out] {
	declaredMaxArgumentBytes.set(&b.verbs, n)
	return b
}

func (c *checker) size(where string, of declaration[int64]) int64 {
	n, declared := of.in(&c.layer)
	switch {
	case declared && n <= 0:
		c.bad(ruleLimitRange, where, "the limit is not positive", "leave it out for the default")
	case n > maxBytes:
		c.bad(ruleLimitRange, where, "the limit is over 1 GiB", c.advice(string(of), "allow at most 1 << 30 bytes",
			"write at most 1073741824"))
	}
	return n
}
