package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type noteIn struct {
	ID   string   `json:"id" jsonschema:"minLength=1" jsonschema_description:"The id of the note."`
	Tags []string `json:"tags,omitempty"`
	Max  int      `json:"max,omitempty"`
}

type noteOut struct {
	ID   string   `json:"id"`
	Tags []string `json:"tags,omitempty"`
	Max  int      `json:"max,omitempty"`
}

// notes is a server whose tools have one demand each. Deleted counts its
// effects.
type notes struct{ deleted atomic.Int32 }

func (n *notes) tools() []*contract.Tool {
	read := func(_ context.Context, in noteIn) (noteOut, error) { return noteOut(in), nil }
	remove := func(_ context.Context, in noteIn) (noteOut, error) {
		n.deleted.Add(1)
		return noteOut(in), nil
	}
	slow := func(ctx context.Context, _ noteIn) (noteOut, error) {
		fmt.Fprintln(os.Stderr, slowRuns)
		for i := range 3 {
			guard.Progress(ctx, float64(i+1), 3, "notes are read")
			time.Sleep(120 * time.Millisecond)
		}
		return noteOut{ID: "slow"}, nil
	}
	gone := contract.SideEffect{Description: "The note is gone.", Reach: contract.Internal, Undo: contract.Irreversible,
		OnRepeat: "Nothing."}
	deletes := func(name string) *contract.Builder[noteIn, noteOut] {
		return contract.New(name, remove).Title("Delete").Version("1.0.0").Effect(risk.Destructive).
			Description("Deletes a note of the user, and with it all of its tags, links and attachments, for good.").
			Trust(trust.Trusted).NoPermissions("The notes are the user's own.").SideEffects(gone)
	}
	reads := func(name string, h contract.Handler[noteIn, noteOut]) *contract.Builder[noteIn, noteOut] {
		return contract.New(name, h).Description("Reads a note.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Untrusted)
	}
	return []*contract.Tool{
		reads("notes.read", read).MustBuild(),
		reads("notes.slow", slow).MustBuild(),
		deletes("notes.delete").Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}).MustBuild(),
		deletes("notes.purge").ConfirmTyping(func(in noteIn) string { return "purge " + in.ID }).DryRun(dryrun.By(
			func(context.Context, noteIn) (dryrun.Preview[struct{}], error) {
				return dryrun.Preview[struct{}]{Warnings: []string{"Three links lead to it."}}, nil
			}).Required()).MustBuild(),
		deletes("notes.tidy").Resolve(
			contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever},
			func(in noteIn) contract.Resolution {
				if in.ID == "all" {
					return contract.Resolution{}
				}
				return contract.Resolution{Effect: risk.LowRiskWrite, Risk: risk.Medium, Confirmation: contract.ConfirmationNever}
			}).MustBuild(),
	}
}

// server returns the server.
func (n *notes) server(who guard.PrincipalSource) (*server.MCPServer, error) {
	g, err := guard.New(guard.WithPrincipal(who), guard.WithAudit(new(audit.Recorder)))
	if err != nil {
		return nil, err
	}
	return mcpgo.NewServer("notes", "1.0.0", g, mcpgo.WithTools(n.tools()...))
}

// serveSurvey serves a tool that has no contract, and that asks for more than
// an approval. Its form lacks the type that the protocol demands, as those of
// some servers do.
func serveSurvey(t *testing.T) (url string) {
	t.Helper()
	s := server.NewMCPServer("surveys", "1.0.0", server.WithToolCapabilities(true))
	s.AddTool(mcp.NewTool("survey"), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if answer, answered := r.Params.InputResponses["q"]; answered {
			return mcp.NewToolResultJSON(answer)
		}
		return server.NewInputRequestBuilder("s").Elicit("q", mcp.ElicitationParams{
			Message: "How many notes?", RequestedSchema: map[string]any{
				"required": []string{"count", "colour"}, "properties": map[string]any{
					"colour": map[string]any{"type": "string", "enum": []string{"red", "green"}},
					"days": map[string]any{"type": "array", "items": map[string]any{"anyOf": []map[string]any{
						{"const": "mon", "title": "Monday"}, {"const": "tue"},
					}}},
					"count":  map[string]any{"type": "integer", "minimum": 1, "title": "Number"},
					"public": map[string]any{"type": "boolean", "default": false},
				},
			},
		}).ToolResult(), nil
	})
	web := httptest.NewServer(server.NewStreamableHTTPServer(s))
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}

// Values of serveStdio. Notes is a server that works, broken is one that cannot
// start, and silent is one that never answers. Noisy writes text to its stdout
// that is not a message.
const (
	serveNotes  = "notes"
	serveBroken = "broken"
	serveSilent = "silent"
	serveNoisy  = "noisy"
)

// serve runs the server that the environment names.
func serve() error {
	switch os.Getenv(serveStdio) {
	case serveBroken:
		fmt.Fprint(os.Stderr, "the port\x1b[2J is in use\n  port\x1b]0;x\a 80\r\nend\u009b\u202e")
		return errors.New("broken")
	case serveSilent:
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case serveNoisy, serveNotes:
		if os.Getenv(serveStdio) == serveNoisy {
			fmt.Print("listening\x1b[2J\n{\n")
		}
		s, err := new(notes).server(mcpgo.LocalUser())
		if err != nil {
			return err
		}
		return mcpgo.ServeStdioServer(s)
	}
	if err := server.ServeStdio(newServer()); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// serveHTTP serves the notes to callers with a token.
func (n *notes) serveHTTP(t *testing.T) (url string) {
	t.Helper()
	s, err := n.server(mcpgo.Bearer(func(_ context.Context, token string) (guard.Principal, error) {
		if token != "anna" {
			return guard.Principal{}, errors.New("unknown")
		}
		return guard.Principal{Issuer: "login", Subject: "anna"}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	h, err := mcpgo.HandlerOf(s)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}
