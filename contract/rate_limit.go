package contract

import "math/big"

// Admits reports whether r allows every series of calls that other allows. It
// reports false if the period of either is not positive.
func (r RateLimit) Admits(other RateLimit) bool {
	if r.PerSeconds <= 0 || other.PerSeconds <= 0 || r.Calls < other.Calls {
		return false
	}
	// Of two token buckets, r has at all times as many tokens as other exactly
	// if it holds as many and refills as fast.
	return product(r.Calls, other.PerSeconds).Cmp(product(other.Calls, r.PerSeconds)) >= 0
}

func product(calls int, seconds int64) *big.Int {
	p := big.NewInt(int64(calls))
	return p.Mul(p, big.NewInt(seconds))
}
