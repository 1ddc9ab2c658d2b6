package host_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/host"
)

// hintsOf reads t, f or - for each of readOnlyHint, destructiveHint and
// openWorldHint.
func hintsOf(text string) host.Hints {
	hint := func(c byte) *bool {
		if c == '-' {
			return nil
		}
		is := c == 't'
		return &is
	}
	return host.Hints{ReadOnly: hint(text[0]), Destructive: hint(text[1]), OpenWorld: hint(text[2])}
}

// find returns one host.
func find(t *testing.T, name string) host.Host {
	t.Helper()
	hosts, err := host.Find(name)
	require.NoError(t, err)
	require.Len(t, hosts, 1)
	return hosts[0]
}

func inWords(do host.Action, review bool) string {
	if review {
		return string(do) + "+review"
	}
	return string(do)
}

// truthTable says what hosts do for each combination of hints: readOnlyHint,
// destructiveHint and openWorldHint. It was collected by hand, independently of
// the hosts file.
var truthTable = []string{
	"hints | codex | vscode | claude-code/plan | claude-desktop/cowork-auto | chatgpt | cursor/reads | goose/smart | docker-agent",
	"--- | ask | ask | ask | ask | ask | refuse | model | ask",
	"t-- | run | run | default | run | run | run | run | run",
	"tff | run | run | default | run | run | run | run | run",
	"tft | run | run+review | default | run | run | run | run | run",
	"ttf | ask | run | default | ask | run | refuse | run | ask",
	"f-- | ask | ask | ask | ask | ask | refuse | ask | ask",
	"fff | run | ask | ask | ask | ask | refuse | ask | ask",
	"fft | ask | ask+review | ask | ask | ask | refuse | ask | ask",
	"ft- | ask | ask | ask | ask | ask | refuse | ask | ask",
}

func TestDecide_MatchesTheTruthTable(t *testing.T) {
	t.Parallel()
	cells := func(line string) []string {
		var all []string
		for cell := range strings.SplitSeq(line, "|") {
			all = append(all, strings.TrimSpace(cell))
		}
		return all
	}
	head := cells(truthTable[0])
	compared := 0
	for _, line := range truthTable[1:] {
		row := cells(line)
		for column, want := range row {
			if column == 0 {
				continue
			}
			name, mode, _ := strings.Cut(head[column], "/")
			h, hints := find(t, name), hintsOf(row[0])
			if want == "default" {
				want = inWords(h.Decide("", hints))
			}
			assert.Equal(t, want, inWords(h.Decide(mode, hints)), "%s %s", head[column], row[0])
			compared++
		}
	}
	assert.Equal(t, 72, compared)
}

// The hosts' published rules, typed in from their sources and not from the
// hosts file.

func codexAuto(r, d, o byte) string {
	if d == 't' {
		return "ask"
	}
	if r == 't' || (d == 'f' && o == 'f') {
		return "run"
	}
	return "ask"
}

func vscodeDefault(r, _, o byte) string {
	do := "ask"
	if r == 't' {
		do = "run"
	}
	if o == 't' {
		do += "+review"
	}
	return do
}

func geminiDefault(_, _, _ byte) string { return "ask" }

func geminiPlan(r, _, _ byte) string {
	if r != 't' {
		return "refuse"
	}
	return "ask"
}

func gooseSmart(r, _, _ byte) string {
	switch r {
	case 't':
		return "run"
	case 'f':
		return "ask"
	}
	return "model"
}

func cursorReads(r, d, _ byte) string {
	isWrite := r == 'f' || d == 't'
	isRead := r == 't' && !isWrite
	if isRead {
		return "run"
	}
	return "refuse"
}

func TestDecide_MatchesThePublishedRuleForAllHints(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]func(r, d, o byte) string{
		"codex/auto": codexAuto, "vscode/default": vscodeDefault, "gemini/default": geminiDefault, "gemini/plan": geminiPlan,
		"goose/smart": gooseSmart, "cursor/reads": cursorReads,
	} {
		of, mode, _ := strings.Cut(name, "/")
		h := find(t, of)
		compared := 0
		for _, r := range []byte("tf-") {
			for _, d := range []byte("tf-") {
				for _, o := range []byte("tf-") {
					hints := hintsOf(string([]byte{r, d, o}))
					assert.Equal(t, rule(r, d, o), inWords(h.Decide(mode, hints)), "%s %s", name, hints)
					compared++
				}
			}
		}
		assert.Equal(t, 27, compared)
	}
}

func TestDecide_DoesNotUseIdempotentHint(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, h := range host.All() {
		for _, m := range h.Modes {
			for _, hints := range []string{"---", "tff", "fff", "ft-"} {
				with, without := hintsOf(hints), hintsOf(hints)
				with.Idempotent, without.Idempotent = &yes, &no
				assert.Equal(t, inWords(h.Decide(m.Name, with)), inWords(h.Decide(m.Name, without)), "%s/%s", h.Name, m.Name)
			}
		}
	}
}

func TestDecide_UnknownModeDecidesNothing(t *testing.T) {
	t.Parallel()
	do, review := find(t, "codex").Decide("nonsense", hintsOf("tff"))
	assert.Equal(t, host.Action(""), do)
	assert.False(t, review)
	do, _ = host.Host{}.Decide("", hintsOf("tff"))
	assert.Equal(t, host.Action(""), do)
}

func ExampleHost_Decide() {
	hosts, err := host.Find("codex,vscode")
	if err != nil {
		fmt.Println(err)
		return
	}
	no := false
	write := host.Hints{ReadOnly: &no, Destructive: &no, OpenWorld: &no}
	for _, h := range hosts {
		do, _ := h.Decide("", write)
		fmt.Println(h.Title, do)
	}
	// Output:
	// Codex run
	// VS Code ask
}
