package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/internal/redistest"
	"github.com/toolcontract/toolcontract/guard/people"
)

func TestMain(m *testing.M) { exampletest.Main(m, run, "-names", "dotted") }

var update = flag.Bool("update", false, "record the trace")

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	parentID    = "b7ad6b7169203331"
	traceparent = "00-" + traceID + "-" + parentID + "-01"
)

// An agreeable person approves every call.
type agreeable struct{}

func (agreeable) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{people.ConfirmKey: true},
	}}, nil
}

// send sends one email in the trace of the client.
func send(t *testing.T, c *client.Client) {
	t.Helper()
	_, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{
		Name: "emails.send_external",
		Arguments: json.RawMessage(`{"to":["anna@example.com"],"subject":"Lunch","body":"Noon?","attachments":["f_menu"],` +
			`"projectId":"p_1"}`),
		Meta: &mcp.Meta{AdditionalFields: map[string]any{"traceparent": traceparent}},
	}})
	require.NoError(t, err)
}

// The recorded trace is in testdata: an email that a person confirms, and the
// same call again.
func TestEmails_TheCollectorGetsTheTraceOfAConfirmationAndAReplay(t *testing.T) {
	t.Parallel()
	collector := newCollector(t)
	p := exampletest.Start(t, "-otlp", collector.url, "-store", redistest.Start(t))
	c := exampletest.As(t, p.URL, "alice", exampletest.Modern, client.WithElicitationHandler(agreeable{}))
	send(t, c)
	send(t, c)
	p.Terminate(t)

	got := page(t, collector.spans)
	if *update {
		require.NoError(t, os.WriteFile("testdata/trace.md", []byte(got), 0o600))
	}
	want, err := os.ReadFile("testdata/trace.md")
	require.NoError(t, err)
	assert.Empty(t, exampletest.Difference(string(want), got), "record it with -update")
	for _, name := range []string{"mcp.server.operation.duration", "toolcontract.calls", "toolcontract.store.operation.duration"} {
		assert.True(t, collector.metrics[name], name)
	}
}

func TestEmails_RefusesAnAddressThatIsNone(t *testing.T) {
	t.Parallel()
	out, err := exampletest.Command(t, "-otlp", "collector:4318").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "-otlp")
}

// A collector that cannot be reached changes no call.
func TestEmails_ServesWithoutItsCollector(t *testing.T) {
	t.Parallel()
	p := exampletest.Start(t, "-otlp", "http://127.0.0.1:1")
	t.Cleanup(func() { p.Kill(t) }) // on SIGTERM, it reports that its last spans are lost
	c := exampletest.As(t, p.URL, "alice", exampletest.Modern, client.WithElicitationHandler(agreeable{}))
	_, outcome := exampletest.Call(t, c, "contacts.search", `{"query":"anna"}`)
	assert.Empty(t, outcome.Code)
}

// page writes spans as a page, in the order of their beginning.
func page(t *testing.T, all []*spans.Span) string {
	t.Helper()
	slices.SortFunc(all, func(a, b *spans.Span) int {
		if a.GetStartTimeUnixNano() != b.GetStartTimeUnixNano() {
			return int(int64(a.GetStartTimeUnixNano()) - int64(b.GetStartTimeUnixNano()))
		}
		return strings.Compare(a.GetName(), b.GetName())
	})
	names := map[string]string{parentID: "the client's span"}
	for i, s := range all {
		names[hex.EncodeToString(s.GetSpanId())] = fmt.Sprintf("span %d", i+1)
	}
	sources := sources(t)
	var b strings.Builder
	b.WriteString("# A trace of emails\n\nAn email that a person confirms, and the same call again, as a collector got " +
		"it. A test records it.\n")
	for i, s := range all {
		assert.Equal(t, traceID, hex.EncodeToString(s.GetTraceId()))
		fmt.Fprintf(&b, "\n## Span %d: %s\n\n", i+1, s.GetName())
		fmt.Fprintf(&b, "Kind %s, parent: %s.\n", strings.ToLower(strings.TrimPrefix(s.GetKind().String(), "SPAN_KIND_")),
			names[hex.EncodeToString(s.GetParentSpanId())])
		for _, e := range s.GetEvents() {
			fmt.Fprintf(&b, "Event `%s`.\n", e.GetName())
		}
		b.WriteString("\n| attribute | value | source |\n|---|---|---|\n")
		attributes := slices.SortedFunc(slices.Values(s.GetAttributes()),
			func(a, b *common.KeyValue) int { return strings.Compare(a.GetKey(), b.GetKey()) })
		for _, a := range attributes {
			source, listed := sources[a.GetKey()]
			assert.True(t, listed, a.GetKey())
			value := a.GetValue().GetStringValue()
			switch a.GetKey() {
			case "toolcontract.call_id", "toolcontract.digest":
				value = "…"
			}
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", a.GetKey(), value, source)
		}
	}
	return b.String()
}

// sources returns the source of each attribute, from the page of package otel.
func sources(t *testing.T) map[string]string {
	t.Helper()
	listed, err := os.ReadFile("../../../otel/attributes.md")
	require.NoError(t, err)
	found := map[string]string{}
	for line := range strings.Lines(string(listed)) {
		if cells := strings.Split(line, " | "); len(cells) == 4 {
			found[strings.Trim(cells[0], "| `")] = cells[2]
		}
	}
	return found
}
