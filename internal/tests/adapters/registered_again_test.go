package adapters_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	gomcp "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A reloading server is an SDK server that wraps its tools, and registers the
// tool notes_send with a new description whenever its configuration changes.
type reloading struct {
	register func(description string)
	wrap     func(g *guard.Guard, rules wrap.Rules) error
	verify   func() error
	serve    func(in io.Reader, out io.Writer)
}

func reloadingServers(run func() string) map[string]reloading {
	ours := mcpserver.NewMCPServer("mail", "1")
	theirs := gomcp.NewServer(&gomcp.Implementation{Name: "mail", Version: "1"}, nil)
	return map[string]reloading{
		"mcpgo": {
			register: func(description string) {
				ours.AddTool(mcp.NewTool("notes_send", mcp.WithDescription(description)),
					func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
						return mcp.NewToolResultText(run()), nil
					})
			},
			wrap: func(g *guard.Guard, rules wrap.Rules) error {
				_, err := mcpgo.WrapAll(ours, g, rules)
				return err
			},
			verify: func() error { return mcpgo.Verify(ours) },
			serve:  func(in io.Reader, out io.Writer) { _ = mcpgo.ServeStreams(context.Background(), ours, in, out) },
		},
		"gosdk": {
			register: func(description string) {
				theirs.AddTool(&gomcp.Tool{Name: "notes_send", Description: description,
					InputSchema: json.RawMessage(`{"type":"object"}`)},
					func(context.Context, *gomcp.CallToolRequest) (*gomcp.CallToolResult, error) {
						return &gomcp.CallToolResult{Content: []gomcp.Content{&gomcp.TextContent{Text: run()}}}, nil
					})
			},
			wrap: func(g *guard.Guard, rules wrap.Rules) error {
				_, err := gosdk.WrapAll(theirs, g, rules)
				return err
			},
			verify: func() error { return gosdk.Verify(theirs) },
			serve:  func(in io.Reader, out io.Writer) { _ = gosdk.ServeStreams(context.Background(), theirs, in, out) },
		},
	}
}

// A rule may declare the contract through a function, which runs again when the
// tool is registered again.
func TestThreat166_AToolThatIsRegisteredAgainKeepsItsProtections(t *testing.T) {
	t.Parallel()
	strict := contract.Base{
		Version: "1.0.0", Effect: risk.HighRiskWrite, Trust: trust.Untrusted, Permissions: []string{"notes:write", "notes:send"},
		Confirmation: contract.ConfirmationAlways, RateLimit: contract.RateLimit{Calls: 20, Per: time.Minute},
		Timeout: 10 * time.Second, AuditEvent: "notes.sent",
	}
	for name, weaken := range map[string]func(b *contract.Base){
		"trust": func(b *contract.Base) { b.Trust = trust.Trusted },
		"question": func(b *contract.Base) {
			b.Confirmation, b.ConfirmationReason = contract.ConfirmationNever, "Notes are private."
		},
		"permissions":    func(b *contract.Base) { b.Permissions = b.Permissions[:1] },
		"a higher limit": func(b *contract.Base) { b.RateLimit.Calls = 1000 },
		"a faster limit": func(b *contract.Base) { b.RateLimit = contract.RateLimit{Calls: 10, Per: time.Second} },
		"no limit":       func(b *contract.Base) { b.RateLimit = contract.RateLimit{} },
		"more time":      func(b *contract.Base) { b.Timeout = time.Hour },
		"audit":          func(b *contract.Base) { b.AuditEvent = "notes.other" },
	} {
		var runs atomic.Int64
		for sdk, s := range reloadingServers(func() string { runs.Add(1); return "sent" }) {
			t.Run(name+"/"+sdk, func(t *testing.T) {
				declared := strict
				rules := wrap.Rules{Tools: map[string]wrap.Rule{
					"notes_send": {Declare: func(b *wrap.Builder) { b.From(declared) }},
				}}
				g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithPrincipal(guard.PrincipalFunc(
					func(context.Context) (guard.Principal, error) {
						return guard.Principal{Issuer: "test", Subject: "alice", Permissions: strict.Permissions}, nil
					})))
				require.NoError(t, err)
				s.register("Sends a note.")
				require.NoError(t, s.wrap(g, rules))
				client := connect(s.serve)
				defer client.Close()
				lines := bufio.NewReader(client)
				id := 0
				call := func() string {
					id++
					_, err := client.Write(append(sdktest.Message(t, sdktest.Modern, id, "tools/call",
						`{"name":"notes_send","arguments":{}}`), '\n'))
					require.NoError(t, err)
					for {
						line, err := lines.ReadString('\n')
						require.NoError(t, err)
						if sdktest.Parse(t, line).ID == float64(id) { // otherwise it is a notification
							return line
						}
					}
				}
				sdktest.AssertRefused(t, call(), contract.CodeConfirmationRequired)

				weaken(&declared)
				s.register("Sends a note to anybody.")
				assert.NotNil(t, sdktest.Parse(t, call()).Error, "the tool is unknown")
				assert.Equal(t, []string{"verify.replaced notes_send"}, sdktest.Rules(s.verify()))

				declared = strict
				declared.SecurityLevel, declared.Category = 9, "notes"
				s.register("Sends a note with more care.")
				sdktest.AssertRefused(t, call(), contract.CodeConfirmationRequired)
				require.NoError(t, s.verify())
				assert.Zero(t, runs.Load())
			})
		}
	}
}
