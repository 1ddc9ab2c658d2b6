package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

var update = flag.Bool("update", false, "write testdata again")

// patience bounds a test that hangs. It leaves room for a busy machine.
const patience = 5 * time.Minute

// patient returns a context that ends with the test, or when the test hangs.
func patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// onOfficial turns the recording into what the tour prints on the official SDK:
// it has other words for an unknown tool.
var onOfficial = strings.NewReplacer(
	servedOn(exampleserver.MCPGo), servedOn(exampleserver.Official),
	"tool 'secrets_read_private_key' not found: tool\n            not found", `unknown tool "secrets_read_private_key"`,
	"tool 'secrets_read_publicity_key' not found:\n            tool not found", `unknown tool "secrets_read_publicity_key"`,
)

// It may write the recording, so it runs before the parallel tests read it.
func TestTour_IsTheRecordedOne(t *testing.T) {
	const golden = "testdata/tour.txt"
	for _, sdk := range []exampleserver.SDK{exampleserver.MCPGo, exampleserver.Official} {
		var out bytes.Buffer
		require.NoError(t, run(patient(t), &out, sdk, "", false))
		if *update && sdk == exampleserver.MCPGo {
			require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o644))
		}
		recorded, err := os.ReadFile(golden)
		require.NoError(t, err)
		want := string(recorded)
		if sdk == exampleserver.Official {
			want = onOfficial.Replace(want)
		}
		assert.Empty(t, exampletest.Difference(want, out.String()),
			"%s: run go test ./examples/tour -update and look at what changed", sdk)
	}
}

// The steps of each theme are printed as in the whole tour, and every step has
// a theme of the list.
func TestTour_ByThemesIsTheWholeTour(t *testing.T) {
	t.Parallel()
	recorded, err := os.ReadFile("testdata/tour.txt")
	require.NoError(t, err)
	head, steps, found := strings.Cut(string(recorded), "\n\n")
	require.True(t, found)
	shown := 0
	for _, row := range themes() {
		t.Run(string(row.theme), func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, run(patient(t), &out, exampleserver.MCPGo, row.theme, false))
			own := strings.Split(strings.TrimSuffix(strings.TrimPrefix(out.String(), head+"\n\n"), "\n"), "\n\n")
			for _, block := range own {
				//nolint:testifylint // Contains would print the whole tour
				assert.True(t, strings.Contains("\n\n"+steps+"\n", "\n\n"+block+"\n"), "the whole tour has no such step:\n%s", block)
			}
			shown += len(own)
		})
	}
	assert.Len(t, strings.Split(steps, "\n\n"), shown)
}

func TestTour_RefusesAWrongCommandLine(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"an unknown theme": {"-only", "idempotence"}, "an unknown flag": {"-lst"}, "an argument": {"extra"},
		"an argument after a flag": {"-list", "extra"}, "an unknown SDK": {"-sdk", "other"},
	} {
		var out, errs bytes.Buffer
		assert.Equal(t, exitUsage, show(args, &out, &errs), name)
		assert.Empty(t, out.String(), "nothing ran")
		assert.NotEmpty(t, errs.String(), name)
	}
}

func TestTour_ListsItsThemes(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, listThemes(&out))
	assert.Len(t, strings.Split(strings.TrimSpace(out.String()), "\n"), len(themes()))
}

func TestTour_FitsItsWidth(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(patient(t), &out, exampleserver.MCPGo, "", false))
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		assert.LessOrEqual(t, utf8.RuneCountInString(line), width, line)
		assert.Equal(t, strings.TrimRight(line, " "), line)
		assert.NotContains(t, line, "\x1b")
	}
}

func TestTour_HasEveryKindOfOutcome(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, run(patient(t), &out, exampleserver.MCPGo, "", true))
	var steps []struct {
		Step   int    `json:"step"`
		Tool   string `json:"tool"`
		Status string `json:"status"`
		Code   string `json:"code"`
		Class  string `json:"class"`
		Text   string `json:"text"`
		Audit  []line `json:"audit"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &steps))
	want := []struct{ tool, status, code, class string }{
		{"", "ok", "", ""},
		{"", "ok", "", ""},
		{"", "ok", "", ""},
		{"contacts_search", "ok", "", ""},
		{"emails_create_draft", "ok", "", ""},
		{"emails_create_draft", "replayed", "", ""},
		{"emails_create_draft", "error", "idempotency_key_conflict", "retryable"},
		{"emails_create_draft", "error", "invalid_input", "retryable"},
		{"contacts_search", "error", "unauthenticated", "fatal"},
		{"emails_create_draft", "error", "permission_denied", "fatal"},
		{"secrets_read_private_key", "protocol error -32602", "", ""},
		{"secrets_read_publicity_key", "protocol error -32602", "", ""},
		{"emails_send_external", "error", "confirmation_required", "fatal"},
		{"emails_send_external", "ok", "", ""},
		{"emails_send_external", "error", "confirmation_declined", "retryable"},
		{"emails_send_external", "protocol error -32603", "", ""},
		{"emails_bulk_send", "error", "dry_run_required", "retryable"},
		{"emails_bulk_send", "dry-run", "", ""},
		{"emails_create_draft", "error", "invalid_recipient", "retryable"},
		{"emails_create_draft", "error", "relay_down", "fatal"},
		{"notes_read", "ok", "", ""},
		{"notes_count", "error", "internal_error", "fatal"},
		{"notes_index", "error", "internal_error", "fatal"},
		{"reports_build", "error", "timeout", "fatal"},
		{"reports_state", "error", "output_invalid", "fatal"},
		{"jobs_run", "error", "unavailable", "retryable"},
		{"weather_read", "ok", "", ""},
		{"weather_read", "error", "rate_limit_exceeded", "retryable"},
		{"reports_print", "error", "retry_budget_exhausted", "fatal"},
		{"machine_use", "ok", "", ""},
		{"machine_use", "error", "confirmation_required", "fatal"},
		{"machine_use", "error", "internal_error", "fatal"},
		{"safe_open", "error", "step_up_required", "fatal"},
		{"ledger_close", "error", "unavailable", "retryable"},
		{"numbers_add", "ok", "", ""},
	}
	require.Len(t, steps, len(want))
	for i, step := range steps {
		assert.Equal(t, i+1, step.Step)
		assert.Equal(t, want[i].tool, step.Tool, "step %d", step.Step)
		assert.Equal(t, want[i].status, step.Status, "step %d", step.Step)
		assert.Equal(t, want[i].code, step.Code, "step %d", step.Step)
		assert.Equal(t, want[i].class, step.Class, "step %d", step.Step)
		assert.Equal(t, step.Class == "fatal", strings.HasPrefix(step.Text, "[FATAL] "), "step %d", step.Step)
		if step.Tool != "" {
			assert.NotEmpty(t, step.Audit, "step %d", step.Step)
		}
	}
	forbidden, unknown := steps[10], steps[11]
	assert.Equal(t, strings.ReplaceAll(forbidden.Text, forbidden.Tool, ""), strings.ReplaceAll(unknown.Text, unknown.Tool, ""))
}

func TestTour_ReportsUnexpectedOutcomes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*step)
	}{
		{"another outcome of a call", func(st *step) { st.want = "permission_denied" }},
		{"a call instead of an unknown tool", func(st *step) { st.want = unknownTool }},
		{"a text that must stay secret", func(st *step) { st.never = "anna@example.com" }},
		{"another list", func(st *step) { st.tool, st.want = "", "contacts_search" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx := patient(t)
			s, err := open(ctx, exampleserver.MCPGo)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, s.close(context.WithoutCancel(ctx))) })
			st := step{caller: "alice", client: s.alice, tool: "contacts_search", arguments: `{"query": "anna"}`, want: "ok"}
			_, err = runSteps(ctx, s, []step{st}, "")
			require.NoError(t, err)
			tt.change(&st)
			_, err = runSteps(ctx, s, []step{st}, "")
			assert.Error(t, err)
		})
	}
}

func TestWrap_BreaksLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"an empty text is one line", "", []string{""}},
		{"a short text stays whole", "one two", []string{"one two"}},
		{"after a space", "one two three", []string{"one two", "three"}},
		{"after a comma", "one,two,three", []string{"one,two,", "three"}},
		{"a long word is cut", "abcdefghijk", []string{"abcdefgh", "ijk"}},
		{"characters count, not bytes", "éééééééé é", []string{"éééééééé", "é"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, wrap(tt.text, 8))
		})
	}
}
