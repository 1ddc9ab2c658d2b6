package contract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A Clock is a time of day of another module, which writes its own JSON.
type Clock struct{ minutes int }

func (c Clock) MarshalJSON() ([]byte, error) {
	return json.Marshal(fmt.Sprintf("%02d:%02d", c.minutes/60, c.minutes%60))
}

func (c *Clock) UnmarshalJSON(data []byte) error {
	at, err := time.Parse(`"15:04"`, string(data))
	c.minutes = at.Hour()*60 + at.Minute()
	return err
}

// The base gives the schema once, for all tools of a server.
func ExampleTypeSchemaFor() {
	type AlarmIn struct {
		At   Clock   `json:"at"`
		Note *string `json:"note" jsonschema:"nullable,maxLength=80"`
	}
	set := func(context.Context, AlarmIn) (struct{}, error) { return struct{}{}, nil }

	base := contract.Base{
		TypeSchemas: []contract.TypeSchema{contract.TypeSchemaFor(
			json.RawMessage(`{"type":"string","pattern":"^[0-2][0-9]:[0-5][0-9]$"}`), Clock{minutes: 450})},
	}
	tool, err := contract.New("alarm.set", set).From(base).
		Description("Sets the alarm.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).
		Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(tool.Document().InputSchema))
	// Output:
	// {"properties":{"at":{"type":"string","pattern":"^[0-2][0-9]:[0-5][0-9]$"},"note":{"anyOf":[{"type":"string","maxLength":80},{"type":"null"}]}},"additionalProperties":false,"type":"object","required":["at","note"]}
}

// A payment is by card or by bank, and never both.
func ExampleOneOf() {
	type Card struct {
		Number string `json:"number" contract:"secret"`
	}
	type Bank struct {
		IBAN string `json:"iban"`
	}
	type Payment struct {
		_    contract.OneOf
		Card *Card `json:"card,omitempty"`
		Bank *Bank `json:"bank,omitempty"`
	}
	pay := func(_ context.Context, in Payment) (string, error) {
		if in.Card != nil {
			return "by card", nil
		}
		return "by bank", nil
	}
	tool := contract.New("bill.pay", pay).
		Description("Pays a bill.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).
		MustBuild()
	fmt.Println(string(tool.Document().InputSchema))
	// Output:
	// {"properties":{"card":{"properties":{"number":{"type":"string","x-secret":true}},"additionalProperties":false,"type":"object","required":["number"]},"bank":{"properties":{"iban":{"type":"string"}},"additionalProperties":false,"type":"object","required":["iban"]}},"additionalProperties":false,"type":"object","maxProperties":1,"minProperties":1}
}
