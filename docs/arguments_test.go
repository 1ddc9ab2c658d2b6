package docs_test

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type bookInput struct {
	Guest   string `json:"guest"            jsonschema:"minLength=1,maxLength=80" contract:"sensitive"`
	Nights  int    `json:"nights,omitzero"  jsonschema:"minimum=1,maximum=30,default=1"`
	Room    string `json:"room"             jsonschema:"enum=single,enum=double"`
	Card    string `json:"card,omitzero"    contract:"secret"`
	Comment string `json:"comment,omitzero" jsonschema_description:"What the guest asked for, in their words."`
}

type wakeInput struct {
	Before contract.Duration `json:"before"          jsonschema:"minimum=1m,maximum=2h"`
	Snooze contract.Duration `json:"snooze,omitzero" jsonschema:"maximum=30m,default=10m"`
}

type wakeOutput struct {
	Total contract.Duration `json:"total"`
}

func wake(_ context.Context, in wakeInput) (wakeOutput, error) {
	return wakeOutput{in.Before + in.Snooze}, nil
}

func Example_durations() {
	tool := contract.New("rooms.wake", wake).
		Description("Wakes a guest.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("rooms:book").
		MustBuild()

	c := callerOf(tool, anna("rooms:book"))
	c.call(`{"before":"PT1H"}`)
	c.call(`{"before":"P1D","snooze":"PT20M"}`)
	c.call(`{"before":"P1M","snooze":"20m"}`)
	// Output:
	// {"total":"PT1H10M"}
	// invalid_input: the arguments do not fit the input schema
	// - /before: must be at most PT2H
	// invalid_input: the arguments do not fit the input schema
	// - /before: must be a duration without years and months, because their length varies
	// - /snooze: must be a duration (ISO 8601) such as PT1H30M
}

type bookOutput struct {
	Nights int `json:"nights"`
}

func book(_ context.Context, in bookInput) (bookOutput, error) { return bookOutput{in.Nights}, nil }

func Example_arguments() {
	tool := contract.New("rooms.book", book).
		Description("Books a room.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("rooms:book").
		Lenient(contract.TextAsNumber).
		MustBuild()

	c := callerOf(tool, anna("rooms:book"))
	c.call(`{"guest":"Ben","room":"single"}`)
	c.call(`{"guest":"Ben","room":"single","nights":"3"}`)
	c.call(`{"guest":"","room":"suite","night":40}`)
	// Output:
	// {"nights":1}
	// {"nights":3}
	// invalid_input: the arguments do not fit the input schema
	// - /guest: must have at least 1 character
	// - /night: is not a known property; known: card, comment, guest, nights, room (did you mean "nights"?)
	// - /room: must be one of: single, double
}
