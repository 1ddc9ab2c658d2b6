// Package drawtest generates cases for tests of properties that hold for every
// input. A property draws its input from a [T]; [Check] and [Fuzz] run it.
//
// Package rapid does more, but would become a requirement of every module that
// uses this one.
package drawtest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// A T is one case of a property: a test plus the choices that make up its
// input. Each choice is drawn uniformly.
type T struct {
	testing.TB

	uint func(most uint64) uint64
}

// Check runs a property with 100 cases, or as many as TOOLCONTRACT_CASES says.
// Each case is a subtest named after its seed. The seeds are the same every
// time, unless TOOLCONTRACT_SEED sets the first one.
func Check(t *testing.T, property func(*T)) {
	t.Helper()
	first := number(t, "TOOLCONTRACT_SEED", 1)
	for i := range number(t, "TOOLCONTRACT_CASES", 100) {
		seed := first + i
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, seed))
			property(&T{t, func(most uint64) uint64 { return random.Uint64N(most + 1) }})
		})
	}
}

// Fuzz fuzzes a property. Its choices are the bytes of the input, followed by
// zeros.
func Fuzz(f *testing.F, property func(*T)) {
	f.Helper()
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		property(&T{t, func(most uint64) uint64 {
			var drawn uint64
			for left := most; left > 0 && len(data) > 0; left >>= 8 {
				drawn = drawn<<8 | uint64(data[0])
				data = data[1:]
			}
			if most+1 == 0 {
				return drawn
			}
			return drawn % (most + 1)
		}})
	})
}

func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatalf("%s is not a number: %v", name, err)
	}
	return n
}

// Int draws a number from low to high, both included.
func (t *T) Int(low, high int) int { return low + int(t.uint(uint64(high-low))) }

// Bool draws true or false.
func (t *T) Bool() bool { return t.uint(1) == 1 }

// One draws one item of a list.
func One[V any](t *T, list ...V) V { return list[t.Int(0, len(list)-1)] }

// Some draws at most n items of a list, in list order.
func Some[V any](t *T, n int, list ...V) []V {
	var some []V
	for wanted := t.Int(0, min(n, len(list))); len(some) < wanted; {
		at := t.Int(0, len(list)-(wanted-len(some)))
		some = append(some, list[at])
		list = list[at+1:]
	}
	return some
}

// Text draws a text, often one that isn't valid UTF-8.
func (t *T) Text() string {
	var text []byte
	for range t.Int(0, 12) {
		switch t.Int(0, 3) {
		case 0:
			text = append(text, byte(t.Int(0, 255)))
		case 1:
			text = append(text, string(rune(t.Int(0, 0x10FFFF)))...)
		default:
			text = append(text, One(t, "a", "\"", "\\", "<", "&", "\u2028", "\x7f", "\n")...)
		}
	}
	return string(text)
}
