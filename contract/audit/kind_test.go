package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/audit"
)

func TestKindText(t *testing.T) {
	t.Parallel()
	texts := map[audit.Kind]string{
		audit.Intent: "intent", audit.Asked: "asked", audit.Terminal: "terminal", audit.Late: "late",
	}
	require.Len(t, audit.Kinds(), len(texts))
	for _, k := range audit.Kinds() {
		assert.True(t, k.IsValid())
		assert.Equal(t, texts[k], k.String())
		text, err := k.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, texts[k], string(text))
		var got audit.Kind
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, k, got)
	}
	assert.Equal(t, "undeclared", audit.UndeclaredKind.String())
	assert.Equal(t, "kind(42)", audit.Kind(42).String())
	audit.Kinds()[0] = audit.Late
	assert.Equal(t, audit.Intent, audit.Kinds()[0], "the list belongs to the caller")
}

func TestKindWithoutText(t *testing.T) {
	t.Parallel()
	for _, k := range []audit.Kind{audit.UndeclaredKind, 5, 255} {
		assert.False(t, k.IsValid())
		_, err := k.MarshalText()
		assert.Error(t, err, "%v", k)
	}
	for _, text := range []string{"", "Terminal", "undeclared", "end", "hunter2"} {
		k := audit.Late
		err := k.UnmarshalText([]byte(text))
		require.Error(t, err, "%q", text)
		assert.Equal(t, audit.Late, k, "%q leaves the receiver alone", text)
		for _, allowed := range audit.Kinds() {
			assert.ErrorContains(t, err, allowed.String())
		}
		assert.NotContains(t, err.Error(), "hunter2")
	}
}
