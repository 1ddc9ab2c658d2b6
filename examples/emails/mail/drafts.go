package mail

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// A DraftOutput is the result of emails.create_draft.
type DraftOutput struct {
	DraftID string `json:"draftId"`
}

func (p *Post) createDraft(_ context.Context, in Message) (DraftOutput, error) {
	if err := check(in); err != nil {
		return DraftOutput{}, err
	}
	return DraftOutput{DraftID: p.addDraft(in)}, nil
}

func (p *Post) emailsCreateDraft() (*contract.Tool, error) {
	return contract.New("emails.create_draft", p.createDraft).
		From(emailDefaults()).
		Title("Create draft").
		Description("Writes an email into the drafts folder. Nothing is sent; a person can read, change and send it.").
		Effect(risk.LowRiskWrite).
		Reads(contract.PublicData). // the result is an id
		Permissions("emails:draft").
		SideEffects(contract.SideEffect{
			Description: "One draft appears in the drafts folder.",
			Reach:       contract.Internal,
			Undo:        contract.Reversible,
			OnRepeat:    "None for the same idempotency key, or without one for the same email: the first draft's id is returned.",
		}).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}).
		AuditEvent("email.draft.created").
		Build()
}
