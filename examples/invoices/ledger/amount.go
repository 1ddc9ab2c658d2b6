package ledger

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An Amount is an amount of money in hundredths of its currency, so that sums
// are exact. Its text has two decimals, such as "12.50", and no sign. The zero
// Amount is "0.00".
type Amount int64

// MaxAmount is the highest amount that the books accept.
const MaxAmount Amount = 9_999_999_999_99

var errAmount = errors.New("ledger: an amount has two decimals, such as 12.50")

// MarshalText returns the amount with two decimals.
func (a Amount) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", a/100, a%100), nil
}

// UnmarshalText reads an amount with two decimals.
func (a *Amount) UnmarshalText(text []byte) error {
	whole, cents, _ := strings.Cut(string(text), ".")
	n, err := strconv.ParseUint(whole+cents, 10, 63)
	if err != nil || whole == "" || len(cents) != 2 || Amount(n) > MaxAmount {
		return errAmount
	}
	*a = Amount(n)
	return nil
}
