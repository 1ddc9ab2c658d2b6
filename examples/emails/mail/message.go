package mail

import (
	"net/mail"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

// A Message holds the arguments of emails.create_draft and
// emails.send_external.
type Message struct {
	To          []string `json:"to" jsonschema:"minItems=1,maxItems=50" jsonschema_description:"Addresses such as anna@example.com."`
	Subject     string   `json:"subject" jsonschema:"minLength=1,maxLength=998,pattern=^[^\\r\\n]*$"`
	Body        string   `json:"body" contract:"sensitive" jsonschema:"maxLength=100000"`
	Attachments []string `json:"attachments,omitempty" jsonschema:"maxItems=10" jsonschema_description:"Ids of files."`
	ProjectID   string   `json:"projectId,omitempty" jsonschema:"maxLength=100" jsonschema_description:"The project that the email belongs to."`
}

// The failures of emails. Each is declared once, and check returns it.
var (
	ErrInvalidRecipient   = contract.Retryable("invalid_recipient", "A recipient address cannot receive mail.")
	ErrAttachmentTooLarge = contract.Retryable("attachment_too_large", "An attachment is over the size that the relay takes.")
	ErrPolicyViolation    = contract.Fatal(contract.CodePolicyViolation, "The email is against the organisation's policy.")
	ErrRelayDown          = contract.Fatal("relay_down", "The mail relay is unreachable.")
)

// emailDefaults returns the clauses that the email tools share. Results are
// trusted, because this system makes the ids and states in them.
func emailDefaults() contract.Base {
	return contract.Base{
		Version:  "1.0.0",
		Category: "communication",
		Trust:    trust.Trusted,
		Failures: []*contract.Failure{ErrInvalidRecipient, ErrAttachmentTooLarge, ErrPolicyViolation, ErrRelayDown},
	}
}

// check returns an error if the relay or the organisation would not take the
// email. Drafts are checked too, so that a draft can be sent.
//
// The example has no relay. Certain words in an email trigger its failures.
func check(m Message) error {
	if strings.Contains(m.Subject, "[relay-down]") {
		return ErrRelayDown
	}
	for i, to := range m.To {
		if address, err := mail.ParseAddress(to); err != nil || address.Address != to || strings.HasSuffix(to, "@invalid.example") {
			return ErrInvalidRecipient.Errorf("the relay does not accept mail for this address").
				At("/to/" + strconv.Itoa(i)).
				Hint("Look the address up with contacts.search.")
		}
	}
	if i := slices.Index(m.Attachments, "f_huge"); i >= 0 {
		return ErrAttachmentTooLarge.Errorf("the file is larger than 25 MB").At("/attachments/" + strconv.Itoa(i))
	}
	if strings.Contains(m.Subject, "[policy]") {
		return ErrPolicyViolation
	}
	return nil
}
