package mail

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// hello returns a valid email.
func hello() Message {
	return Message{To: []string{"anna@example.com"}, Subject: "Hello", Body: "Good morning."}
}

func TestDraftAndSend_RefuseTheSameEmails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		change  func(*Message)
		want    *contract.Failure
		pointer string
	}{
		{
			"a recipient that the relay refuses",
			func(m *Message) { m.To = []string{"anna@example.com", "x@invalid.example"} }, ErrInvalidRecipient, "/to/1",
		},
		{"a recipient that is not an address", func(m *Message) { m.To = []string{"anna"} }, ErrInvalidRecipient, "/to/0"},
		{
			"an address with a name around it", func(m *Message) { m.To = []string{"Anna <anna@example.com>"} },
			ErrInvalidRecipient, "/to/0",
		},
		{
			"a huge attachment", func(m *Message) { m.Attachments = []string{"f_small", "f_huge"} }, ErrAttachmentTooLarge,
			"/attachments/1",
		},
		{"a subject that violates the policy", func(m *Message) { m.Subject = "[policy] hello" }, ErrPolicyViolation, ""},
		{"the relay is down", func(m *Message) { m.Subject = "hello [relay-down]" }, ErrRelayDown, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := hello()
			tt.change(&m)
			post := &Post{}
			_, drafted := post.createDraft(t.Context(), m)
			_, sent := post.sendExternal(t.Context(), m)
			for _, err := range []error{drafted, sent} {
				require.ErrorIs(t, err, tt.want)
				failure, ok := errors.AsType[*contract.Error](err)
				require.True(t, ok)
				assert.Equal(t, tt.pointer, failure.Pointer())
			}
			assert.Zero(t, post.Drafts())
			assert.Zero(t, post.Sent())
		})
	}
}
