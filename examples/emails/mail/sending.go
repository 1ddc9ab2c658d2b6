package mail

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// A SendOutput is the result of emails.send_external.
type SendOutput struct {
	EmailID string `json:"emailId"`
	Status  string `json:"status" jsonschema:"enum=sent,enum=scheduled,enum=failed"`
}

func (p *Post) sendExternal(_ context.Context, in Message) (SendOutput, error) {
	if err := check(in); err != nil {
		return SendOutput{}, err
	}
	return SendOutput{EmailID: p.send(in), Status: "sent"}, nil
}

func (p *Post) emailsSendExternal() (*contract.Tool, error) {
	return contract.New("emails.send_external", p.sendExternal).
		From(emailDefaults()).
		Title("Send email").
		Description("Sends an email to one or more people outside the organisation.").
		Effect(risk.ExternalPublication). // implies critical risk, so a person is always asked
		Sends().
		Reads(contract.PublicData). // the result is an id and a state
		Permissions("emails:send", "contacts:read", "files:read").
		SideEffects(contract.SideEffect{
			Description: "One email leaves the organisation for each recipient.",
			Reach:       contract.External,
			Undo:        contract.Irreversible,
			OnRepeat:    "A second email is sent to each recipient.",
			Affects:     "The recipients.",
		}).
		RateLimit(20, time.Minute). // per principal
		AuditEvent("email.external.sent").
		Build()
}
