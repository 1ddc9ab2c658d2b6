package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// protect makes a guard with one tool for an example.
func protect(tool *contract.Tool, opts ...guard.Option) (*guard.Guard, *guard.Toolset) {
	g, err := guard.New(append(opts, quiet())...)
	if err != nil {
		log.Fatal(err)
	}
	tools, err := g.Protect(tool)
	if err != nil {
		log.Fatal(err)
	}
	return g, tools
}

// call makes a call as an adapter does, without its names.
func call(tools *guard.Toolset, tool, arguments string) *guard.Result {
	return callAsking(tools, tool, arguments, nil)
}

// callAsking is call by a client that asks a person.
func callAsking(tools *guard.Toolset, tool, arguments string, ask people.Asker) *guard.Result {
	request := guard.Request{Tool: tool, Arguments: []byte(arguments), Client: guard.Client{Ask: ask}}
	result, err := tools.Call(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	return result
}

// A chat is an approver that only remembers the last question.
type chat struct {
	people guard.People
	last   people.PendingQuestion
}

func (d *chat) Attach(p guard.People) error {
	d.people = p
	return nil
}

func (d *chat) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	d.last = q // an approver of a server has many calls at once, and a lock
	return "https://notes.example/chat", nil
}

// A colleague approves a call, and the caller repeats it. FourEyes does not let
// people decide about their own calls.
func ExampleApprover() {
	publish := noteTool("notes.publish").ConfirmAlways().MustBuild()
	d := &chat{}
	p := guard.PeopleOptions{Approver: d, Deciders: []guard.Decider{guard.FourEyes}}
	g, tools := protect(publish, asAnna(), guard.WithPeople(p))
	defer g.Close(context.Background())

	fmt.Println(call(tools, "notes.publish", `{"text":"hello"}`).Outcome.Code)
	for _, name := range []string{"anna", "ben"} {
		person := guard.Principal{Subject: name, Human: true}
		fmt.Println(name, d.people.Decide(context.Background(), d.last.Token, true, person))
	}
	fmt.Println(call(tools, "notes.publish", `{"text":"hello"}`).Text)
	// Output:
	// confirmation_pending
	// anna guard: the principal may not decide about this call
	// ben <nil>
	// {"id":1}
}

// A policy that no list of permissions can express decides about each call.
func ExampleWithAuthorizer() {
	policy := func(_ context.Context, a guard.Action) error {
		if a.Principal.Subject == "anna" && a.Contract.Effect != risk.ReadOnly {
			return errors.New("anna only reads") // for the audit log
		}
		return nil
	}
	g, tools := protect(noteTool("notes.add").MustBuild(), asAnna(), guard.WithAuthorizer(policy))
	defer g.Close(context.Background())

	fmt.Println(call(tools, "notes.add", `{"text":"hello"}`).Text)
	// Output:
	// [FATAL] permission_denied: a policy of this server denies the call
}

type userKey struct{}

// The middleware of the server has verified the user and put it into the
// context.
func ExamplePrincipalFunc() {
	whoami := guard.PrincipalFunc(func(ctx context.Context) (guard.Principal, error) {
		user, _ := ctx.Value(userKey{}).(string)
		return guard.Principal{Issuer: "notes.example", Subject: user, Permissions: []string{"notes:write"}}, nil
	})
	g, err := guard.New(quiet(), guard.WithPrincipal(whoami))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close(context.Background())
	table, err := adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{noteTool("notes.add").MustBuild()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ctx := range []context.Context{context.Background(), context.WithValue(context.Background(), userKey{}, "anna")} {
		answer, err := table.Call(ctx, table.Entry("notes_add"), adapter.Request{Arguments: []byte(`{"text":"hello"}`)})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(answer.Outcome.Status, answer.Outcome.Code)
	}
	// Output:
	// error unauthenticated
	// ok
}

// An adapter asks through the client within the call. After a person declined,
// equal calls are refused for the time of Times.DeclineMemory.
func ExampleAsker() {
	publish := noteTool("notes.publish").ConfirmAlways().MustBuild()
	g, tools := protect(publish, asAnna(), guard.WithTimes(guard.Times{DeclineMemory: time.Hour}))
	defer g.Close(context.Background())

	asked := 0
	decline := people.Asker(func(context.Context, people.Question) (json.RawMessage, error) {
		asked++
		return json.RawMessage(`{"action":"decline"}`), nil
	})
	for range 2 {
		result := callAsking(tools, "notes.publish", `{"text":"hello"}`, decline)
		fmt.Println(result.Outcome.Code, asked)
	}
	// Output:
	// confirmation_declined 1
	// confirmation_declined 1
}

func ExampleArgumentsError() {
	note := noteTool("notes.add").MustBuild()
	g, _ := protect(note, asAnna())
	defer g.Close(context.Background())

	_, err := g.Effective(context.Background(), note, []byte(`{"text":""}`))
	if wrong, ok := errors.AsType[*guard.ArgumentsError](err); ok {
		for _, v := range wrong.Violations {
			fmt.Println(v.Pointer, v.Message)
		}
	}
	// Output:
	// /text must have at least 1 character
}

// A handler passes its key to a system that deduplicates, and reports progress.
func ExampleIdempotencyKey() {
	var keys []string
	pay := contract.New("notes.pay", func(ctx context.Context, _ noteInput) (noteOutput, error) {
		guard.Progress(ctx, 1, 2, "paying")
		if key, ok := guard.IdempotencyKey(ctx); ok {
			keys = append(keys, key)
		}
		return noteOutput{ID: len(keys)}, nil
	}).From(contract.Base{Description: "Pays for a note.", Version: "1.0.0", Effect: risk.LowRiskWrite}).
		Permissions("notes:write").Idempotency(contract.Idempotency{Mode: idempotency.Managed}).MustBuild()
	g, tools := protect(pay, asAnna(), guard.WithStore(memory()), guard.WithNamespace("notes"))
	defer g.Close(context.Background())

	for range 2 {
		call(tools, "notes.pay", `{"text":"hello"}`)
	}
	fmt.Println(len(keys), len(keys[0])) // the second call did not pay again
	// Output:
	// 1 64
}

// An operator has found nothing to resolve: the call never was.
func ExampleGuard_ResolveUnknown() {
	g, _ := protect(noteTool("notes.add").MustBuild(), asAnna(), guard.WithStore(memory()))
	defer g.Close(context.Background())

	key := store.Scope{Namespace: "notes", Tool: "notes.add"}.Key("1").String() // from the audit log
	err := g.ResolveUnknown(context.Background(), key, store.DidNotHappen)
	fmt.Println(errors.Is(err, store.ErrNotFound))
	// Output:
	// true
}

func memory() *store.Memory {
	m, err := store.NewMemory()
	if err != nil {
		log.Fatal(err)
	}
	return m
}
