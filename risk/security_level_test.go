package risk_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/risk"
)

func ExampleParseSecurityLevel() {
	level, err := risk.ParseSecurityLevel("5")
	fmt.Println(level, err)
	fmt.Println(level.NeedsPrincipal(), level.NeedsPermissions(), level.NeedsVerification())
	_, err = risk.ParseSecurityLevel("11")
	fmt.Println(err)
	// Output:
	// 5 <nil>
	// true true false
	// risk: unknown security level: allowed are the numbers 0 to 10
}

func TestSecurityLevelDemands(t *testing.T) {
	t.Parallel()
	for n := range 256 {
		level := risk.SecurityLevel(n)
		assert.Equal(t, n <= 10, level.IsValid(), "%d", n)
		assert.Equal(t, n >= 1, level.NeedsPrincipal(), "%d", n)
		assert.Equal(t, n >= 4, level.NeedsPermissions(), "%d", n)
		assert.Equal(t, n >= 8, level.NeedsVerification(), "%d", n)
	}
}

func TestSecurityLevelText(t *testing.T) {
	t.Parallel()
	for level := range risk.MaxSecurityLevel + 1 {
		got, err := risk.ParseSecurityLevel(level.String())
		require.NoError(t, err)
		assert.Equal(t, level, got)
	}
	assert.Equal(t, "10", risk.MaxSecurityLevel.String())
	assert.Equal(t, "securityLevel(11)", risk.SecurityLevel(11).String())
	for _, text := range []string{"", "11", "256", "-1", "+1", "01", "1.0", "1e0", " 1", "1 ", "0x1", "one", "securityLevel(11)"} {
		level, err := risk.ParseSecurityLevel(text)
		assert.Error(t, err, "%q", text)
		assert.Zero(t, level, "%q", text)
	}
}

func TestSecurityLevelIsANumberInJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(map[string]risk.SecurityLevel{"securityLevel": 7})
	require.NoError(t, err)
	assert.Equal(t, `{"securityLevel":7}`, string(text))
	var level risk.SecurityLevel
	require.NoError(t, json.Unmarshal([]byte(`7`), &level))
	assert.Equal(t, risk.SecurityLevel(7), level)
	for _, wrong := range []string{`"7"`, `256`, `-1`, `1.5`} {
		assert.Error(t, json.Unmarshal([]byte(wrong), &level), wrong)
	}
}
