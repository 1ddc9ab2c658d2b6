package contracttest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/host"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type hostNoteIn struct {
	Text string `json:"text" jsonschema:"description=The text.,maxLength=100"`
}

type hostNoteOut struct {
	ID int `json:"id"`
}

// hostNote returns a tool that adds a note, which can be undone.
func hostNote(name string) *contract.Tool {
	return contract.New(name, func(context.Context, hostNoteIn) (hostNoteOut, error) { return hostNoteOut{}, nil }).Title("Add").
		Description("Adds a note.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").
		SideEffects(contract.SideEffect{Description: "A note is added.", Reach: contract.Internal, Undo: contract.Reversible}).
		MustBuild()
}

func hostsOf(t *testing.T, list string) []host.Host {
	t.Helper()
	hosts, err := host.Find(list)
	require.NoError(t, err)
	return hosts
}

func TestInspectHosts_FindsWhatHostsDoWithContracts(t *testing.T) {
	t.Parallel()
	long := hostNote("notes." + strings.Repeat("add", 15))
	found := contracttest.InspectHosts(hostsOf(t, "codex,claude-ai"), hostNote("notes.add"), long)
	var rules []string
	for _, f := range found.Findings {
		rules = append(rules, f.Host+" "+f.Rule+" "+f.Tool)
	}
	longName := "notes_" + strings.Repeat("add", 15)
	for _, want := range []string{
		"codex host.hints.unasked notes_add", "codex host.schema.dropped notes_add", "claude-ai host.name.long " + longName,
	} {
		assert.Contains(t, rules, want)
	}
	assert.NotContains(t, rules, "claude-ai host.name.long notes_add")
	assert.Equal(t, []string{"notes_add", longName}, found.Tools)
	assert.Equal(t, 0, found.Count(contracttest.Error))
	assert.Empty(t, contracttest.InspectHosts(nil, hostNote("notes.add")).Findings)
}

func TestInspectHosts_AcceptsWithReasons(t *testing.T) {
	t.Parallel()
	hosts := hostsOf(t, "codex")
	found := contracttest.InspectHosts(hosts, hostNote("notes.add"), hostNote("notes.change"))
	accepted := found.Accept("host.hints.unasked", "The note can be removed.", "notes_add")
	assert.Equal(t, found.Count(contracttest.Info)-1, accepted.Count(contracttest.Info))
	i := slices.IndexFunc(accepted.Findings, func(f contracttest.Finding) bool {
		return f.Tool == "notes_add" && f.Rule == "host.hints.unasked"
	})
	assert.Equal(t, "The note can be removed.", accepted.Findings[i].Accepted)
	assert.Equal(t, 1, found.Accept("host.schema.null", "never", "notes_add").Count(contracttest.Error), "a stale acceptance")
}

func TestInspectHosts_OfNothingIsAFinding(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 1, contracttest.InspectHosts(hostsOf(t, "codex")).Count(contracttest.Error))
	assert.Equal(t, 1, contracttest.InspectHosts(hostsOf(t, "codex"), nil).Count(contracttest.Error))
}

func TestCheckHosts_FailsForErrorsOnly(t *testing.T) {
	t.Parallel()
	contracttest.CheckHosts(t, hostNote("notes.add"))
	tool := `{"name":"notes_add","description":"Adds.","inputSchema":{"type":"object","properties":{"a b":{}}}}`
	found := contracttest.InspectServer(hostsOf(t, ""), host.Server{Tools: []json.RawMessage{json.RawMessage(tool)}})
	assert.Equal(t, 1, found.Count(contracttest.Error), found)
	assert.Contains(t, found.String(), "host.schema.property")
	r := &recorder{TB: t}
	found.Assert(r)
	assert.Len(t, r.errors, 1)
	r = &recorder{TB: t}
	contracttest.CheckHosts(r)
	assert.Len(t, r.errors, 1, "no tools")
}

func ExampleInspectHosts() {
	hosts, err := host.Find("codex")
	if err != nil {
		fmt.Println(err)
		return
	}
	found := contracttest.InspectHosts(hosts, hostNote("notes.add")).Accept("host.hints.unasked", "The note can be removed.")
	for _, f := range found.Findings {
		fmt.Printf("%s %s: %s (%s)\n", f.Severity, f.Tool, f.Message, f.Accepted)
	}
	// Output:
	// info notes_add: Codex runs the write without a question, in its mode auto (The note can be removed.)
	// info notes_add: Codex does not show these keywords to the model: maxLength ()
}
