package mail

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// documents returns the contracts by name.
func documents(t *testing.T) map[string]contract.Document {
	t.Helper()
	tools, err := new(Post).Tools()
	require.NoError(t, err)
	docs := map[string]contract.Document{}
	for _, tool := range tools {
		docs[tool.Name()] = tool.Document()
	}
	return docs
}

func TestTools_DeclareTheirContracts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		risk        risk.Level
		effect      risk.Effect
		confirm     contract.Confirmation
		permissions []string
	}{
		{"accounts.change_permissions", risk.Critical, risk.HighRiskWrite, contract.ConfirmationAlways, []string{"accounts:admin"}},
		{"contacts.search", risk.Low, risk.ReadOnly, contract.ConfirmationNever, []string{"contacts:read"}},
		{"emails.bulk_send", risk.Critical, risk.ExternalPublication, contract.ConfirmationAlways, []string{"emails:send"}},
		{"emails.create_draft", risk.Medium, risk.LowRiskWrite, contract.ConfirmationNever, []string{"emails:draft"}},
		{
			"emails.send_external", risk.Critical, risk.ExternalPublication, contract.ConfirmationAlways,
			[]string{"emails:send", "contacts:read", "files:read"},
		},
		{"files.create_download_link", risk.Medium, risk.LowRiskWrite, contract.ConfirmationNever, []string{"files:share"}},
		{"secrets.read_private_key", risk.Forbidden, risk.ReadOnly, contract.ConfirmationAlways, []string{"secrets:read"}},
	}
	docs := documents(t)
	assert.Len(t, docs, len(tests))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := docs[tt.name]
			assert.Equal(t, tt.risk, doc.Risk)
			assert.Equal(t, tt.effect, doc.Effect)
			assert.Equal(t, tt.confirm, doc.Confirmation)
			assert.Equal(t, tt.permissions, doc.Permissions)
		})
	}
}

func TestSend_DeclaresEveryFailure(t *testing.T) {
	t.Parallel()
	codes := map[string]contract.Class{}
	for _, mode := range documents(t)["emails.send_external"].FailureModes {
		codes[mode.Code] = mode.Class
	}
	for code, class := range map[string]contract.Class{
		"permission_denied":     contract.ClassFatal,
		"confirmation_required": contract.ClassFatal,
		"invalid_recipient":     contract.ClassRetryable,
		"attachment_too_large":  contract.ClassRetryable,
		"rate_limit_exceeded":   contract.ClassRetryable,
		"policy_violation":      contract.ClassFatal,
		"relay_down":            contract.ClassFatal,
	} {
		assert.Equal(t, class, codes[code], code)
	}
}

func TestDraftAndSend_StoreEmails(t *testing.T) {
	t.Parallel()
	post := &Post{}
	draft, err := post.createDraft(t.Context(), hello())
	require.NoError(t, err)
	email, err := post.sendExternal(t.Context(), hello())
	require.NoError(t, err)
	assert.Regexp(t, "^draft_[a-z2-7]{26}$", draft.DraftID)
	assert.Regexp(t, "^email_[a-z2-7]{26}$", email.EmailID)
	assert.Equal(t, "sent", email.Status)
	assert.Equal(t, 1, post.Drafts())
	assert.Equal(t, 1, post.Sent())
}
