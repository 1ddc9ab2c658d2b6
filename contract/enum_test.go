package contract_test

import (
	"encoding"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/definition"
)

// An enum is what the small enums of the package have in common.
type enum interface {
	~uint8
	fmt.Stringer
	encoding.TextMarshaler
	IsZero() bool
}

func TestEnums_HaveOneTextForEachValueAndNoneForOthers(t *testing.T) {
	t.Parallel()
	t.Run("class", testEnum[contract.Class]("class", "retryable", "fatal"))
	t.Run("by", testEnum[contract.By]("by", "tool", "guard"))
	t.Run("confirmation", testEnum[contract.Confirmation]("confirmation", "never", "when", "always"))
	t.Run("reach", testEnum[contract.Reach]("reach", "internal", "external"))
	t.Run("undo", testEnum[contract.Undo]("undo", "reversible", "irreversible"))
	t.Run("parameter type", testEnum[definition.ParameterType]("parameterType", "string", "number", "boolean", "object", "array", "any"))
	t.Run("status", testEnum[contract.Status]("status", "ok", "error", "asked", "dry-run", "replayed"))
}

func testEnum[E enum, P interface {
	*E
	encoding.TextUnmarshaler
}](kind string, texts ...string) func(*testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		var zero E
		assert.True(t, zero.IsZero())
		assert.Equal(t, "undeclared", zero.String())
		_, err := zero.MarshalText()
		require.Error(t, err)

		for i, text := range texts {
			v := E(i + 1) //nolint:gosec // a handful
			assert.False(t, v.IsZero())
			assert.Equal(t, text, v.String())
			got, err := v.MarshalText()
			require.NoError(t, err)
			assert.Equal(t, text, string(got))
			var read E
			require.NoError(t, P(&read).UnmarshalText([]byte(text)))
			assert.Equal(t, v, read)
		}

		beyond := E(len(texts) + 1) //nolint:gosec // a handful
		assert.Equal(t, fmt.Sprintf("%s(%d)", kind, len(texts)+1), beyond.String())
		_, err = beyond.MarshalText()
		require.Error(t, err)

		for _, text := range []string{"", "undeclared", "Secret-Word", texts[0] + " ", beyond.String()} {
			read := E(1)
			err := P(&read).UnmarshalText([]byte(text))
			require.Error(t, err, "%q", text)
			assert.Equal(t, E(1), read, "%q", text)
			assert.NotContains(t, err.Error(), "Secret-Word")
			for _, allowed := range texts {
				assert.ErrorContains(t, err, allowed)
			}
		}
	}
}

func TestEnums_AreValidWhereDeclared(t *testing.T) {
	t.Parallel()
	assert.False(t, contract.UndeclaredClass.IsValid())
	assert.True(t, contract.ClassFatal.IsValid())
	assert.False(t, contract.Class(3).IsValid())
	assert.False(t, contract.UndeclaredConfirmation.IsValid())
	assert.True(t, contract.ConfirmationAlways.IsValid())
	assert.False(t, contract.Confirmation(4).IsValid())
	assert.False(t, contract.UndeclaredReach.IsValid())
	assert.True(t, contract.External.IsValid())
	assert.False(t, contract.Reach(3).IsValid())
	assert.False(t, contract.UndeclaredUndo.IsValid())
	assert.True(t, contract.Irreversible.IsValid())
	assert.False(t, contract.Undo(3).IsValid())
}
