package contract_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// A reply holds items of each kind. Annotations name their audience.
func ExampleContent() {
	important := 1.0
	items := []contract.Content{
		contract.TextContent{Text: "Two points moved.", Annotations: contract.Annotations{
			Audience: []string{"user"}, Priority: &important, LastModified: time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC),
		}},
		contract.AudioContent{Data: []byte("…"), MIMEType: "audio/wav"},
		contract.LinkContent{URI: "https://example.com/charts/7", Name: "The chart in full"},
		contract.ResourceContent{URI: "notes:7", MIMEType: "text/plain", Text: "The note in full."},
	}
	reply := contract.Reply[struct{}]{Content: items}
	for _, item := range reply.Content {
		fmt.Printf("%T\n", item)
	}
	// Output:
	// contract.TextContent
	// contract.AudioContent
	// contract.LinkContent
	// contract.ResourceContent
}

func ExampleResolutionError() {
	tool := send().MustBuild()
	_, err := tool.Document().Resolved(contract.Resolution{Risk: risk.Restricted})
	if wrong, ok := errors.AsType[*contract.ResolutionError](err); ok {
		fmt.Println(wrong.Clauses)
	}
	// Output:
	// [risk]
}
