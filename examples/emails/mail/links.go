package mail

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A LinkInput holds the arguments of files.create_download_link.
type LinkInput struct {
	FileID    string    `json:"fileId" jsonschema:"minLength=1,maxLength=100" jsonschema_description:"Id of the file."`
	ExpiresAt time.Time `json:"expiresAt" jsonschema_description:"When the link ends, such as 2030-12-31T23:59:00Z."`
}

// A LinkOutput is the result of files.create_download_link.
type LinkOutput struct {
	LinkID    string    `json:"linkId"`
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// ErrExpiresInPast is returned for a link that would have expired already.
var ErrExpiresInPast = contract.Retryable("expires_in_past", "The link would have ended before it was made.")

func (p *Post) createDownloadLink(_ context.Context, in LinkInput) (LinkOutput, error) {
	if !in.ExpiresAt.After(p.now()) {
		return LinkOutput{}, ErrExpiresInPast.Errorf("the link would already have expired").
			At("/expiresAt").
			Hint("Choose a time in the future.")
	}
	link := LinkOutput{LinkID: newID("link"), ExpiresAt: in.ExpiresAt}
	link.URL = "https://files.example.com/" + link.LinkID
	p.addLink(link)
	return link, nil
}

func (p *Post) filesCreateDownloadLink() (*contract.Tool, error) {
	return contract.New("files.create_download_link", p.createDownloadLink).
		Title("Create download link").
		Description("Makes a link under which one file can be downloaded until a time. While such a link is valid, the " +
			"same call returns it again.").
		Version("1.0.0").
		Category("files").
		Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).
		Reads(contract.PrivateData). // the link opens the file
		Permissions("files:share").
		SideEffects(contract.SideEffect{
			Description: "Anyone with the link can download the file until the link expires.",
			Reach:       contract.Internal, // as long as the link is not passed on
			Undo:        contract.Reversible,
			OnRepeat:    "None while the link is valid: the same link is returned. After that a new one is made.",
			Affects:     "The file.",
		}).
		Failures(ErrExpiresInPast).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"fileId", "expiresAt"}}).
		ReplayUntil(func(_ LinkInput, out LinkOutput) time.Time { return out.ExpiresAt }). // never replay an expired link
		AuditEvent("file.link.created").
		Build()
}
