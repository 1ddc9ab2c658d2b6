package guard_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

// A password, a log and a file that a model writes again must stay exact if the
// contract declares it. The outcome and the audit event report each removal.
func TestSanitize_IsTheAuthorsChoice(t *testing.T) {
	t.Parallel()
	const exact = "a\u200bb\x1b[31m"
	const written = `{"password":"a\u200bb\u001b[31m"}`
	for parts, want := range map[trust.Sanitizing]struct {
		text, structured string
		removed          []string
	}{
		0:                    {"ab", `{"password":"ab"}`, []string{"/structuredContent/password", "/content/0"}},
		trust.SanitizeAlways: {"ab", `{"password":"ab"}`, []string{"/structuredContent/password", "/content/0"}},
		trust.SanitizeText:   {"ab", written, []string{"/content/0"}},
		trust.SanitizeNever:  {exact, written, nil},
	} {
		t.Run(parts.String(), func(t *testing.T) {
			t.Parallel()
			b := replying(contract.Reply[json.RawMessage]{
				Out: json.RawMessage(written), Content: []contract.Content{contract.TextContent{Text: exact}},
			}).Trust(trust.Trusted).OutputSchema(json.RawMessage(`{"type":"object","properties":{"password":{"type":"string"}}}`))
			if parts != 0 {
				b.Sanitize(parts)
			}
			k := newKit(t, []*contract.Tool{b.MustBuild()})
			r := k.call(alice, "art.show", "")
			assert.JSONEq(t, want.structured, string(r.Structured))
			assert.Equal(t, contract.TextContent{Text: want.text}, r.Content[0])
			var places, logged []string
			for _, removal := range r.Outcome.Removed {
				places = append(places, removal.Pointer)
				assert.Equal(t, []string{"control", "invisible"}, removal.Kinds)
				logged = append(logged, removal.Pointer+": control, invisible")
			}
			assert.Equal(t, want.removed, places)
			assert.Equal(t, want.removed != nil, r.Outcome.Sanitized > 0)
			assert.Equal(t, logged, k.events(audit.Terminal)[0].Removed)
		})
	}
}

// The name of a member can be data of a person, which the audit log must not
// have.
func TestSanitize_AuditLogHasNoNamesOfMembersThatAreData(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{replying(contract.Reply[json.RawMessage]{
		Out: json.RawMessage(`{"anna@example.com":{"123":"\u200b"}}`),
	}).Trust(trust.Trusted).MustBuild()})
	r := k.call(alice, "art.show", "")
	require.Len(t, r.Outcome.Removed, 1, r)
	assert.Equal(t, "/structuredContent/anna@example.com/123", r.Outcome.Removed[0].Pointer)
	assert.Equal(t, []string{"/structuredContent/*/*: invisible"}, k.events(audit.Terminal)[0].Removed)
}
