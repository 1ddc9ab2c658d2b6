package observe

import (
	"math/bits"
	"math/rand/v2"
)

// A Source makes the choices by which a value is drawn. A test that shrinks its
// failures supplies its own.
type Source interface {
	// Uint returns a number from 0 to most. 0 is the simplest choice.
	Uint(most uint64) uint64
	// List draws the length of a list, between both bounds, and calls item for
	// each element, with the element's source.
	List(least, most int, item func(Source))
}

// Random returns a source whose choices depend only on the seed.
func Random(seed uint64) Source {
	return random{rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // inputs of a test
}

type random struct{ *rand.Rand }

// evenRange is the largest range whose numbers are all equally likely. In a
// larger range, small numbers and the last one are drawn more often.
const evenRange = 64

func (r random) Uint(most uint64) uint64 {
	if most < evenRange {
		return r.Uint64N(most + 1)
	}
	size := r.IntN(bits.Len64(most) + 2)
	if size > bits.Len64(most) {
		return most
	}
	return min(most, r.Uint64()>>(64-size))
}

func (r random) List(least, most int, item func(Source)) {
	for range least + r.IntN(most-least+1) {
		item(r)
	}
}
