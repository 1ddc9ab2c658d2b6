package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answers has the content of ../answers.json: a call that a person must
// confirm, the answers of the person, and the capabilities of the client.
// ../confirm.mjs runs the same for the other clients.
type answers struct {
	Example   string          `json:"example"`
	Token     bearer          `json:"token"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Answers   []answer        `json:"answers"`
}

type answer struct {
	Title        string            `json:"title"`
	Answer       *mcp.ElicitResult `json:"answer"`
	Fails        bool              `json:"fails"`
	Capabilities *struct {
		Elicitation *mcp.ElicitationCapabilities `json:"elicitation"`
	} `json:"capabilities"`
	Sent int `json:"sent"`
}

// A form is a question as a person sees it.
type form struct {
	Message string
	Schema  any
}

var subject = regexp.MustCompile(` on behalf of .*`)

// newForm omits the name of the person, which differs by transport.
func newForm(message string, schema any) form {
	return form{Message: subject.ReplaceAllString(message, ""), Schema: schema}
}

var errNobody = errors.New("nobody is there")

// options configures a client whose person gives this answer. Each shown form
// is passed to show.
func (a answer) options(show func(*mcp.ElicitParams)) *mcp.ClientOptions {
	o := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			show(req.Params)
			if a.Fails {
				return nil, errNobody
			}
			return a.Answer, nil
		},
	}
	if a.Capabilities != nil {
		o.Capabilities.Elicitation = a.Capabilities.Elicitation
		if o.Capabilities.Elicitation == nil {
			o.ElicitationHandler = nil
		}
	}
	return o
}

func TestClient_PassesConfirmationsOn(t *testing.T) {
	data, err := os.ReadFile("../answers.json")
	require.NoError(t, err)
	var all answers
	require.NoError(t, json.Unmarshal(data, &all))
	program := filepath.Join(build(t, []scenario{{example: all.Example}}), all.Example)
	question := all.question(t, program)

	seen := map[string]map[string]string{}
	for _, a := range all.Answers {
		seen[a.Title] = map[string]string{}
		for _, era := range eras {
			for _, transport := range []string{"stdio", "HTTP"} {
				where := era + " over " + transport
				t.Run("a person "+a.Title+", "+where, func(t *testing.T) {
					dir := t.TempDir()
					var outcome string
					var asked atomic.Int64
					// The server and its log end with this subtest.
					require.True(t, t.Run("call", func(t *testing.T) {
						show := func(shown *mcp.ElicitParams) {
							asked.Add(1)
							assert.Equal(t, question, newForm(shown.Message, plain(t, shown.RequestedSchema)))
						}
						outcome = all.call(t, era, all.reach(t, program, transport, dir), a.options(show))
					}))
					// An error comes from the client, which has sent no answer.
					ends, sent := all.ended(t, dir)
					if strings.HasPrefix(outcome, "error ") {
						assert.Zero(t, ends)
					} else {
						assert.Equal(t, 1, ends)
					}
					assert.Equal(t, a.Sent, sent)
					assert.Equal(t, a.Sent == 1, outcome == "ok", outcome)
					seen[a.Title][where] = fmt.Sprintf("`%s`, asked %d, sent %d", outcome, asked.Load(), sent)
				})
			}
		}
	}
	writeObserved(t, "answers-go-sdk.json", map[string]any{"seen": seen})
}

// question returns the question as the server sends it, without a client.
func (all answers) question(t *testing.T, program string) form {
	t.Helper()
	result := newWire(t, program, []string{"-names", "dotted"}).request(t, "tools/call", map[string]any{
		"name": all.Tool, "arguments": all.Arguments,
		"_meta": modernMeta(map[string]any{"elicitation": map[string]any{}}),
	})
	var asks struct {
		InputRequests map[string]struct {
			Params struct {
				Message         string
				RequestedSchema any
			}
		}
	}
	data, err := json.Marshal(result)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &asks))
	require.Len(t, asks.InputRequests, 1)
	asked := asks.InputRequests["confirm"].Params
	require.NotEmpty(t, asked.Message)
	return newForm(asked.Message, asked.RequestedSchema)
}

// reach returns a transport to a new server with its audit log below dir.
func (all answers) reach(t *testing.T, program, transport, dir string) mcp.Transport {
	t.Helper()
	args := []string{"-names", "dotted", "-audit", filepath.Join(dir, "audit.jsonl")}
	if transport == "stdio" {
		return &mcp.CommandTransport{Command: exec.Command(program, args...), TerminateDuration: patience}
	}
	return &mcp.StreamableClientTransport{Endpoint: serveHTTP(t, program, args), HTTPClient: &http.Client{Transport: all.Token}}
}

// call calls the tool and returns the outcome: ok, the code of a failure, or an
// error.
func (all answers) call(t *testing.T, era string, over mcp.Transport, options *mcp.ClientOptions) string {
	t.Helper()
	ctx, session := connect(t, era, over, options)
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: all.Tool, Arguments: all.Arguments})
	var protocol *jsonrpc.Error
	switch {
	case errors.As(err, &protocol):
		return fmt.Sprintf("error %d", protocol.Code)
	case err != nil:
		return "error of the client"
	}
	o := outcomeOf(t, result)
	if o.Code != "" {
		return o.Code
	}
	return o.Status
}

// ended returns how many calls of the tool ended according to the audit log
// below dir, and how many of them ran.
func (all answers) ended(t *testing.T, dir string) (calls, ran int) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
	require.NoError(t, err)
	for line := range strings.Lines(string(log)) {
		var e struct{ Event, Tool, Decision string }
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		if e.Event != "terminal" || e.Tool != all.Tool {
			continue
		}
		calls++
		if e.Decision == "allow" {
			ran++
		}
	}
	return calls, ran
}
