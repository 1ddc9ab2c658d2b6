package idempotency_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/idempotency"
)

func TestOnUnknownText(t *testing.T) {
	t.Parallel()
	texts := map[idempotency.OnUnknown]string{idempotency.Refuse: "refuse", idempotency.Rerun: "rerun"}
	require.Len(t, idempotency.OnUnknowns(), len(texts))
	for _, o := range idempotency.OnUnknowns() {
		assert.True(t, o.IsValid())
		assert.Equal(t, texts[o], o.String())
		text, err := o.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, texts[o], string(text))
		var got idempotency.OnUnknown
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, o, got)
	}
	assert.Equal(t, "undeclared", idempotency.UndeclaredOnUnknown.String())
	assert.Equal(t, "onUnknown(42)", idempotency.OnUnknown(42).String())
}

func TestOnUnknownWithoutText(t *testing.T) {
	t.Parallel()
	for _, o := range []idempotency.OnUnknown{idempotency.UndeclaredOnUnknown, 3, 255} {
		assert.False(t, o.IsValid())
		_, err := o.MarshalText()
		assert.Error(t, err, "%v", o)
	}
	for _, text := range []string{"", "Refuse", "undeclared", "retry", "hunter2"} {
		o := idempotency.Refuse
		err := o.UnmarshalText([]byte(text))
		require.Error(t, err, "%q", text)
		assert.Equal(t, idempotency.Refuse, o, "%q leaves the receiver alone", text)
		for _, allowed := range idempotency.OnUnknowns() {
			assert.ErrorContains(t, err, allowed.String())
		}
		assert.NotContains(t, err.Error(), "hunter2")
	}
}
