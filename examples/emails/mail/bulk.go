package mail

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
)

// A BulkInput holds the arguments of emails.bulk_send.
type BulkInput struct {
	TemplateID string `json:"templateId" jsonschema:"minLength=1,maxLength=100" jsonschema_description:"Id of the template."`
	SegmentID  string `json:"segmentId" jsonschema:"minLength=1,maxLength=100" jsonschema_description:"Id of the segment of contacts."`
}

// A BulkOutput is the result of emails.bulk_send.
type BulkOutput struct {
	Sent    int `json:"sent"`
	Skipped int `json:"skipped"`
}

// A BulkPreview is the part of the preview that emails.bulk_send adds to a dry
// run.
type BulkPreview struct {
	RecipientCount int             `json:"recipientCount"`
	SampleMessages []SampleMessage `json:"sampleMessages"`
}

// A SampleMessage is one message of a campaign, as its recipient sees it in the
// inbox.
type SampleMessage struct {
	To          string `json:"to"`
	Subject     string `json:"subject"`
	PreviewText string `json:"previewText"`
}

// The contacts of every segment in the example.
const (
	bulkRecipients    = 4821
	bulkUndeliverable = 12
	bulkNameless      = 43
)

func (p *Post) bulkSend(_ context.Context, _ BulkInput) (BulkOutput, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.campaigns++
	return BulkOutput{Sent: bulkRecipients - bulkUndeliverable, Skipped: bulkUndeliverable}, nil
}

// previewBulkSend returns the preview of a campaign. It changes nothing.
func (*Post) previewBulkSend(context.Context, BulkInput) (dryrun.Preview[BulkPreview], error) {
	const subject = "Your Q3 update is here"
	return dryrun.Preview[BulkPreview]{
		Data: BulkPreview{
			RecipientCount: bulkRecipients,
			SampleMessages: []SampleMessage{
				{To: "anna@example.com", Subject: subject, PreviewText: "Dear Anna, in the third quarter we…"},
				{To: "max@example.com", Subject: subject, PreviewText: "Dear Max, in the third quarter we…"},
			},
		},
		Warnings: []string{
			fmt.Sprintf("%d recipients have no first name, fallback 'Hello' will be used.", bulkNameless),
			fmt.Sprintf("%d email addresses are marked as undeliverable and will be skipped.", bulkUndeliverable),
		},
		ExpectedSideEffects: []string{
			fmt.Sprintf("%d external emails will be sent.", bulkRecipients),
			fmt.Sprintf("%d audit events of type email.external.sent will be created.", bulkRecipients),
			"Campaign status will be set to 'sent'.",
		},
		EstimatedDuration: 18400 * time.Millisecond,
	}, nil
}

func (p *Post) emailsBulkSend() (*contract.Tool, error) {
	campaign := contract.New("emails.bulk_send", p.bulkSend).
		From(emailDefaults()).
		Title("Send campaign").
		Description("Sends one template to every contact of a segment. Run it with dryRun first, and show the user the preview.").
		Effect(risk.ExternalPublication).
		Sends().
		Reads(contract.PrivateData). // the preview has addresses of contacts
		Permissions("emails:send").
		SideEffects(contract.SideEffect{
			Description: "One email leaves the organisation for each contact of the segment.",
			Reach:       contract.External,
			Undo:        contract.Irreversible,
			OnRepeat:    "The whole segment gets a second email.",
			Affects:     "Every contact of the segment.",
		}).
		DryRun(dryrun.By(p.previewBulkSend).Required()). // a call without its own preview answers dry_run_required
		AuditEvent("email.campaign.sent")
	if p.StepUp {
		campaign.StepUp(contract.StepUp{When: "Sending a campaign needs a recent sign-in.", MaxAge: 5 * time.Minute})
	}
	return campaign.Build()
}

// Campaigns returns how many campaigns were sent.
func (p *Post) Campaigns() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.campaigns
}
