package observe

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

var (
	leastInteger = big.NewInt(math.MinInt64)
	mostInteger  = new(big.Int).SetUint64(math.MaxUint64)
	one          = big.NewInt(1)
)

// integer draws a whole number.
func (d *drawer) integer(s *spec) any {
	low, high := s.integers()
	step := s.step()
	least, most := quotient(low, step, true), quotient(high, step, false)
	if least.Cmp(most) > 0 {
		return treeOf(low)
	}
	return treeOf(new(big.Int).Mul(d.wholeNumber(least, most), step))
}

// integers returns the range of whole numbers that a spec allows.
func (s *spec) integers() (low, high *big.Int) {
	low, high = leastInteger, mostInteger
	if s.low.value != nil {
		low = larger(low, ceiling(s.low))
	}
	if s.high.value != nil {
		high = smaller(high, floor(s.high))
	}
	for _, format := range s.formats {
		if name, ok := strings.CutPrefix(format, "uint"); ok {
			if bits, err := strconv.Atoi(name); err == nil {
				low = larger(low, new(big.Int))
				high = smaller(high, ones(bits))
			}
		} else if name, ok := strings.CutPrefix(format, "int"); ok {
			if bits, err := strconv.Atoi(name); err == nil {
				limit := ones(bits - 1)
				low = larger(low, new(big.Int).Not(limit))
				high = smaller(high, limit)
			}
		}
	}
	return low, high
}

// ones returns the largest number with that many bits.
func ones(bits int) *big.Int {
	return new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one)
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return b
	}
	return a
}

// ceiling returns the smallest whole number above a lower bound.
func ceiling(b limit) *big.Int {
	whole := quotient(b.value.Num(), b.value.Denom(), true)
	if b.exclusive && b.value.IsInt() {
		whole = new(big.Int).Add(whole, one)
	}
	return whole
}

// floor returns the largest whole number below an upper bound.
func floor(b limit) *big.Int {
	whole := quotient(b.value.Num(), b.value.Denom(), false)
	if b.exclusive && b.value.IsInt() {
		whole = new(big.Int).Sub(whole, one)
	}
	return whole
}

// quotient divides by a positive number, rounding up or down.
func quotient(a, b *big.Int, up bool) *big.Int {
	whole, rest := new(big.Int).DivMod(a, b, new(big.Int)) // rest is never negative
	if up && rest.Sign() > 0 {
		whole.Add(whole, one)
	}
	return whole
}

// step returns the step between the whole numbers that are multiples of all the
// spec's multipleOf.
func (s *spec) step() *big.Int {
	step := big.NewInt(1)
	for _, m := range s.multiples {
		common := new(big.Int).GCD(nil, nil, step, m.Num())
		step = new(big.Int).Mul(step, new(big.Int).Quo(m.Num(), common))
	}
	return step
}

// wholeNumber draws a whole number. The one nearest to zero is the simplest.
func (d *drawer) wholeNumber(least, most *big.Int) *big.Int {
	nearest := smaller(larger(new(big.Int), least), most)
	up, down := new(big.Int).Sub(most, nearest), new(big.Int).Sub(nearest, least)
	if down.Sign() > 0 && (up.Sign() == 0 || d.coin()) {
		return new(big.Int).Sub(nearest, d.upTo(down))
	}
	return new(big.Int).Add(nearest, d.upTo(up))
}

func (d *drawer) upTo(most *big.Int) *big.Int {
	return new(big.Int).SetUint64(d.from.Uint(most.Uint64()))
}

// oddNumbers are numbers that programs tend to read or write wrongly.
var oddNumbers = []float64{0.1, 1e-7, -1e-300, math.SmallestNonzeroFloat64, 1e21, math.MaxFloat64, 1 << 53}

// number draws a number, whole or not.
func (d *drawer) number(s *spec) any {
	low, high := s.integers()
	if low.Cmp(high) <= 0 && d.coin() {
		return d.integer(s)
	}
	if len(s.multiples) > 0 {
		return d.multiple(s)
	}
	least, most := -1e9, 1e9
	if s.low.value != nil {
		least, _ = s.low.value.Float64()
		most = max(most, least)
	}
	if s.high.value != nil {
		most, _ = s.high.value.Float64()
		if s.low.value == nil {
			least = min(least, most)
		}
	}
	if least > most {
		return least
	}
	part := float64(d.from.Uint(1<<53)) / (1 << 53)
	drawn := least*(1-part) + most*part
	if odd := oddNumbers[d.index(len(oddNumbers))]; d.index(4) == 3 && least <= odd && odd <= most {
		drawn = odd
	}
	switch {
	case s.low.exclusive && drawn == least:
		drawn = math.Nextafter(least, math.Inf(1))
	case s.high.exclusive && drawn == most:
		drawn = math.Nextafter(most, math.Inf(-1))
	}
	return drawn
}

// multiple draws a decimal multiple of the first multipleOf.
func (d *drawer) multiple(s *spec) any {
	of := s.multiples[0]
	least, most := big.NewInt(-1_000_000), big.NewInt(1_000_000)
	if s.low.value != nil {
		least = ceiling(limit{new(big.Rat).Quo(s.low.value, of), s.low.exclusive})
		most = larger(most, new(big.Int).Add(least, big.NewInt(1_000_000)))
	}
	if s.high.value != nil {
		most = floor(limit{new(big.Rat).Quo(s.high.value, of), s.high.exclusive})
		if s.low.value == nil {
			least = smaller(least, most)
		}
	}
	if least.Cmp(most) > 0 || !least.IsInt64() || !most.IsInt64() {
		return d.integer(s)
	}
	factor := new(big.Rat).SetInt(d.wholeNumber(least, most))
	return decimal(factor.Mul(factor, of))
}

// decimal returns a number as a tree.
func decimal(value *big.Rat) any {
	if value.IsInt() {
		return treeOf(value.Num())
	}
	nearest, _ := value.Float64()
	return nearest
}

// treeOf returns a whole number as a tree.
func treeOf(n *big.Int) any {
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.IsUint64():
		return n.Uint64()
	default:
		nearest, _ := new(big.Float).SetInt(n).Float64()
		return nearest
	}
}
