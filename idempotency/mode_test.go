package idempotency_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/idempotency"
)

func ExampleMode() {
	var mode idempotency.Mode
	err := mode.UnmarshalText([]byte("managed"))
	fmt.Println(mode, err)
	err = mode.UnmarshalText([]byte("always"))
	fmt.Println(mode, err)
	// Output:
	// managed <nil>
	// managed idempotency: unknown mode: allowed are none, native, managed
}

func TestModeText(t *testing.T) {
	t.Parallel()
	texts := map[idempotency.Mode]string{
		idempotency.None: "none", idempotency.Native: "native", idempotency.Managed: "managed",
	}
	require.Len(t, idempotency.Modes(), len(texts))
	for _, m := range idempotency.Modes() {
		assert.True(t, m.IsValid())
		assert.Equal(t, texts[m], m.String())
		text, err := m.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, texts[m], string(text))
		var got idempotency.Mode
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, m, got)
	}
	assert.Equal(t, "undeclared", idempotency.UndeclaredMode.String())
	assert.Equal(t, "mode(42)", idempotency.Mode(42).String())
}

func TestModeWithoutText(t *testing.T) {
	t.Parallel()
	for _, m := range []idempotency.Mode{idempotency.UndeclaredMode, 4, 255} {
		assert.False(t, m.IsValid())
		_, err := m.MarshalText()
		assert.Error(t, err, "%v", m)
	}
	for _, text := range []string{"", "None", "undeclared", "mode(1)", "client", "hunter2"} {
		m := idempotency.Managed
		err := m.UnmarshalText([]byte(text))
		require.Error(t, err, "%q", text)
		assert.Equal(t, idempotency.Managed, m, "%q leaves the receiver alone", text)
		for _, allowed := range idempotency.Modes() {
			assert.ErrorContains(t, err, allowed.String())
		}
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestUndeclaredIsOmittedFromJSON(t *testing.T) {
	t.Parallel()
	type clause struct {
		Mode      idempotency.Mode      `json:"mode,omitzero"`
		OnUnknown idempotency.OnUnknown `json:"onUnknown,omitzero"`
	}
	empty, err := json.Marshal(clause{})
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(empty))
	full, err := json.Marshal(clause{idempotency.Managed, idempotency.Rerun})
	require.NoError(t, err)
	assert.JSONEq(t, `{"mode":"managed","onUnknown":"rerun"}`, string(full))
}

func TestListsBelongToTheCaller(t *testing.T) {
	t.Parallel()
	idempotency.Modes()[0] = idempotency.Managed
	assert.Equal(t, idempotency.None, idempotency.Modes()[0])
	idempotency.OnUnknowns()[0] = idempotency.Rerun
	assert.Equal(t, idempotency.Refuse, idempotency.OnUnknowns()[0])
}
