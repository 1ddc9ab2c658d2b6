package risk_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/risk"
)

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
	assert.Equal(t, "10", risk.MaxSecurityLevel.String())
	assert.Equal(t, "securityLevel(11)", risk.SecurityLevel(11).String())
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
