package dryrun_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/dryrun"
)

func TestModeText(t *testing.T) {
	t.Parallel()
	texts := map[dryrun.Mode]string{
		dryrun.None: "none", dryrun.Supported: "supported", dryrun.Required: "required",
	}
	require.Len(t, dryrun.Modes(), len(texts))
	for _, m := range dryrun.Modes() {
		assert.True(t, m.IsValid())
		assert.Equal(t, texts[m], m.String())
		text, err := m.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, texts[m], string(text))
		var got dryrun.Mode
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, m, got)
	}
	assert.Equal(t, "undeclared", dryrun.Undeclared.String())
	assert.Equal(t, "mode(42)", dryrun.Mode(42).String())
}

func TestModeWithoutText(t *testing.T) {
	t.Parallel()
	for _, m := range []dryrun.Mode{dryrun.Undeclared, 4, 255} {
		assert.False(t, m.IsValid())
		_, err := m.MarshalText()
		assert.Error(t, err, "%v", m)
	}
	for _, text := range []string{"", "None", "undeclared", "mode(1)", "true", "hunter2"} {
		m := dryrun.Required
		err := m.UnmarshalText([]byte(text))
		require.Error(t, err, "%q", text)
		assert.Equal(t, dryrun.Required, m, "%q leaves the receiver alone", text)
		for _, allowed := range dryrun.Modes() {
			assert.ErrorContains(t, err, allowed.String())
		}
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestUndeclaredModeIsOmittedFromJSON(t *testing.T) {
	t.Parallel()
	type document struct {
		DryRun dryrun.Mode `json:"dryRun,omitzero"`
	}
	empty, err := json.Marshal(document{})
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(empty))
	full, err := json.Marshal(document{dryrun.Required})
	require.NoError(t, err)
	assert.JSONEq(t, `{"dryRun":"required"}`, string(full))
}

func TestModesBelongToTheCaller(t *testing.T) {
	t.Parallel()
	dryrun.Modes()[0] = dryrun.Required
	assert.Equal(t, dryrun.None, dryrun.Modes()[0])
}
