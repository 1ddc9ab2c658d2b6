package agent_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type WriteInput struct {
	Path string `json:"path"`
}

type WriteOutput struct {
	Bytes int `json:"bytes"`
}

var (
	ErrExists = contract.Retryable("already_exists", "The file exists.")
	ErrFull   = contract.Fatal("storage_unavailable", "The disk is full.")
)

func write(_ context.Context, in WriteInput) (WriteOutput, error) {
	switch in.Path {
	case "taken.txt":
		return WriteOutput{}, ErrExists.Errorf("choose another name")
	case "large.txt":
		return WriteOutput{}, ErrFull.Errorf("no space")
	}
	return WriteOutput{Bytes: 12}, nil
}

var Write = contract.New("files.write", write).
	Description("Writes a file.").Version("1.0.0").
	Effect(risk.LowRiskWrite).Trust(trust.Trusted).NoPermissions("It writes below one folder.").
	Failures(ErrExists, ErrFull).
	MustBuild()

// dialExample connects a server in the same process.
func dialExample(tools ...*contract.Tool) agent.Dialer {
	anna := func(context.Context) (contract.Principal, error) {
		return contract.Principal{Issuer: "example", Subject: "anna"}, nil
	}
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithPrincipal(guard.PrincipalFunc(anna)))
	if err != nil {
		log.Fatal(err)
	}
	h, err := mcpgo.NewHandler("files", "1.0.0", g, mcpgo.WithTools(tools...))
	if err != nil {
		log.Fatal(err)
	}
	return client.New(client.InProcess(h))
}

// A retryable failure goes back to the model. A fatal one ends the run.
func ExampleCall() {
	ctx := context.Background()
	a, err := agent.Connect(ctx, dialExample(Write), agent.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	for _, path := range []string{"notes.txt", "taken.txt", "large.txt"} {
		out, err := agent.Call[WriteOutput](ctx, a, "files_write", WriteInput{Path: path})
		var retry *agent.RetryError
		var fatal *agent.FatalError
		switch {
		case errors.As(err, &retry):
			fmt.Println(retry.Prompt())
		case errors.As(err, &fatal):
			fmt.Println(err)
		default:
			fmt.Println(out.Bytes, "bytes")
		}
	}
	// Output:
	// 12 bytes
	// The call of files_write failed: already_exists.
	// choose another name
	// agent: call of files_write: storage_unavailable; end the run
}

// A person sees the arguments of a call before it has an effect.
func ExampleHost() {
	ctx := context.Background()
	s := dialExample(contract.New("files.delete", func(context.Context, WriteInput) (WriteOutput, error) {
		return WriteOutput{},
			nil
	}).
		Description("Deletes a file.").Version("1.0.0").Effect(risk.Destructive).Trust(trust.Trusted).
		NoPermissions("It deletes below one folder.").MustBuild())
	host := agent.Host{Ask: func(_ context.Context, q agent.Question) (agent.Answer, error) {
		fmt.Println(q.Tool.Contract.Effect, string(q.Arguments))
		return agent.Answer{Action: agent.Decline}, nil
	}}
	a, err := agent.Connect(ctx, s, agent.Options{Host: host, AskFirst: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	_, err = a.Call(ctx, "files_delete", WriteInput{Path: "notes.txt"})
	fmt.Println(err)
	// Output:
	// destructive {"path":"notes.txt"}
	// agent: call of files_delete: confirmation_declined; give the failure to the model
}

// The steps of a call are for a user interface or a log.
func ExampleStep() {
	ctx := context.Background()
	a, err := agent.Connect(ctx, dialExample(Write), agent.Options{
		Steps: func(s agent.Step) { fmt.Println(s.Tool, s.Attempt, s.Kind) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	_, err = a.Call(ctx, "files_write", WriteInput{Path: "taken.txt"})
	var retry *agent.RetryError
	fmt.Println(errors.As(err, &retry))
	// Output:
	// files_write 1 sent
	// files_write 1 answered
	// true
}

// A new session asks what became of an earlier call.
func ExampleAgent_Operation() {
	ctx, id := context.Background(), "op_b3JkZXIgNw" // of the outcome of the call
	a, err := agent.Connect(ctx, dialExample(looksUp(&id)), agent.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	found, err := a.Operation(ctx, id)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("The call:", found.State)
	// Output: The call: succeeded
}
