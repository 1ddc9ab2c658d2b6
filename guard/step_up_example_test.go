package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/url"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// quiet records audit events without printing them.
func quiet() guard.Option {
	return guard.WithAudit(&audit.Recorder{})
}

// asAnna makes Anna the principal of every call. She has signed in with a
// password.
func asAnna() guard.Option {
	anna := guard.Principal{Subject: "anna", Permissions: []string{"notes:write"}, ACR: "pwd"}
	return guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return anna, nil }))
}

func noteTool(name string) *contract.Builder[noteInput, noteOutput] {
	return contract.New(name, func(context.Context, noteInput) (noteOutput, error) { return noteOutput{ID: 1}, nil }).
		Description("Adds a note.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write")
}

// nextRound calls for a client that opens addresses. It accepts the question of
// the round before; nil means that there was none.
func nextRound(tools *guard.Toolset, tool string, before *guard.Result) *guard.Result {
	request := guard.Request{Tool: tool, Arguments: []byte(`{"text":"hello"}`), Client: guard.Client{RoundsURL: true}}
	if before != nil {
		request.State = before.State
		request.Answers = map[string]json.RawMessage{people.StepUpKey: []byte(`{"action":"accept"}`)}
	}
	result, err := tools.Call(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	return result
}

func ExampleWithPeople_stepUp() {
	publish := noteTool("notes.publish").StepUp(contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"}).MustBuild()
	page := func(_ context.Context, r people.StepUpRequest) (string, error) {
		return "https://notes.example/step-up?id=" + url.QueryEscape(r.ID), nil
	}
	g, err := guard.New(asAnna(), quiet(), guard.WithPeople(guard.PeopleOptions{StepUpPage: page}))
	if err != nil {
		log.Fatal(err)
	}
	tools, err := g.Protect(publish)
	if err != nil {
		log.Fatal(err)
	}

	// Over MCP, an adapter makes the requests.
	asked := nextRound(tools, "notes.publish", nil)
	fmt.Println(asked.Outcome.Status, asked.Question.Message)

	// The page calls this after authenticating the person who opened it.
	anna := guard.Principal{Subject: "anna", AuthTime: time.Now(), ACR: "mfa"}
	if err := g.People().CompleteStepUp(context.Background(), asked.Question.ID, anna); err != nil {
		log.Fatal(err)
	}

	// The client sends the next round with the state from the question.
	result := nextRound(tools, "notes.publish", asked)
	fmt.Println(result.Outcome.Status, result.Text)
	if err := g.Close(context.Background()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// asked To run notes.publish you must authenticate again: within the last 5m0s, in the authentication class mfa.
	// ok {"id":1}
}

// A page shows the person what the authentication is for, and learns why an
// authentication does not count.
func ExamplePeople_CompleteStepUp() {
	publish := noteTool("notes.publish").StepUp(contract.StepUp{ACR: "mfa"}).MustBuild()
	var id string // from the address that was opened
	g, err := guard.New(asAnna(), quiet(), guard.WithPeople(guard.PeopleOptions{StepUpPage: func(_ context.Context,
		r people.StepUpRequest) (string, error) {
		id = r.ID
		return "https://notes.example/step-up?id=" + url.QueryEscape(r.ID), nil
	}}))
	if err != nil {
		log.Fatal(err)
	}
	tools, err := g.Protect(publish)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	nextRound(tools, "notes.publish", nil)

	anna := guard.Principal{Subject: "anna", AuthTime: time.Now(), ACR: "pwd"}
	r, err := g.People().OpenStepUp(ctx, id, anna)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Tool, "demands", r.Demand.ACR)
	fmt.Println(g.People().CompleteStepUp(ctx, id, anna))
	anna.ACR = "mfa"
	fmt.Println(g.People().CompleteStepUp(ctx, id, guard.Principal{Subject: "mallory", AuthTime: time.Now(), ACR: "mfa"}))
	fmt.Println(g.People().CompleteStepUp(ctx, id, anna))
	fmt.Println(g.People().CompleteStepUp(ctx, id, anna))
	if err := g.Close(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// notes.publish demands mfa
	// guard: the authentication is too old, or does not have the demanded class
	// guard: the step-up belongs to another principal
	// <nil>
	// guard: the step-up was answered before
}
