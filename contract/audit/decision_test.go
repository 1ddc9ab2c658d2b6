package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/audit"
)

func TestDecisionText(t *testing.T) {
	t.Parallel()
	texts := map[audit.Decision]string{
		audit.Allow: "allow", audit.Deny: "deny", audit.Ask: "ask", audit.Replay: "replay", audit.DryRun: "dry-run",
	}
	require.Len(t, audit.Decisions(), len(texts))
	for _, d := range audit.Decisions() {
		assert.True(t, d.IsValid())
		assert.False(t, d.IsZero())
		assert.Equal(t, texts[d], d.String())
		text, err := d.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, texts[d], string(text))
		var got audit.Decision
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, d, got)
	}
	assert.Equal(t, "undeclared", audit.UndeclaredDecision.String())
	assert.Equal(t, "decision(42)", audit.Decision(42).String())
	audit.Decisions()[0] = audit.Deny
	assert.Equal(t, audit.Allow, audit.Decisions()[0], "the list belongs to the caller")
}

func TestDecisionWithoutText(t *testing.T) {
	t.Parallel()
	for _, d := range []audit.Decision{audit.UndeclaredDecision, 6, 255} {
		assert.False(t, d.IsValid())
		_, err := d.MarshalText()
		assert.Error(t, err, "%v", d)
	}
	for _, text := range []string{"", "Allow", "undeclared", "dryrun", "dry run", "hunter2"} {
		d := audit.Deny
		err := d.UnmarshalText([]byte(text))
		require.Error(t, err, "%q", text)
		assert.Equal(t, audit.Deny, d, "%q leaves the receiver alone", text)
		for _, allowed := range audit.Decisions() {
			assert.ErrorContains(t, err, allowed.String())
		}
		assert.NotContains(t, err.Error(), "hunter2")
	}
}
