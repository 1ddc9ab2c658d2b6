package contracttest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/contracttest"
)

func TestSeverity_TextForm(t *testing.T) {
	t.Parallel()
	for s, text := range map[contracttest.Severity]string{contracttest.Info: "info", contracttest.Warning: "warning", contracttest.Error: "error"} {
		assert.Equal(t, text, s.String())
		data, err := s.MarshalText()
		require.NoError(t, err)
		var read contracttest.Severity
		require.NoError(t, read.UnmarshalText(data))
		assert.Equal(t, s, read)
	}
	assert.Equal(t, "undeclared", contracttest.UndeclaredSeverity.String())
	assert.True(t, contracttest.UndeclaredSeverity.IsZero())
	assert.Equal(t, "severity(42)", contracttest.Severity(42).String())
}

func TestSeverity_RefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, s := range []contracttest.Severity{contracttest.UndeclaredSeverity, 42} {
		_, err := s.MarshalText()
		assert.Error(t, err)
	}
	for _, text := range []string{"", "Error", "undeclared", "fatal"} {
		s := contracttest.Warning
		assert.ErrorContains(t, s.UnmarshalText([]byte(text)), "info, warning, error")
		assert.Equal(t, contracttest.Warning, s)
	}
}
