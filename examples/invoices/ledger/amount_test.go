package ledger

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAmount_HasTwoDecimals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Amount{"0.00": 0, "0.01": 1, "12.50": 12_50, "9999999999.99": MaxAmount} {
		var a Amount
		require.NoError(t, a.UnmarshalText([]byte(text)))
		assert.Equal(t, want, a)
		written, err := a.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, text, string(written))
	}
	for _, text := range []string{
		"", "1", "1.5", "1.500", ".50", "-1.00", "+1.00", "1e2.00", "1.+0", " 1.00", "1,00", "10000000000.00",
	} {
		a := Amount(7)
		require.Error(t, a.UnmarshalText([]byte(text)), text)
		assert.Equal(t, Amount(7), a)
	}
}
