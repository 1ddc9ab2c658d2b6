package corpus_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/host"
)

// A recordedMessage is what a server sent, as far as hosts treat it in their
// own ways.
type recordedMessage struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

type recordedResult struct {
	Tools   []json.RawMessage `json:"tools"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Requests   map[string]struct {
		Params json.RawMessage `json:"params"`
	} `json:"inputRequests"`
}

// recordedServers returns what the servers sent in each recording.
func recordedServers(t *testing.T) map[string]host.Server {
	t.Helper()
	all := map[string]host.Server{}
	require.NoError(t, filepath.WalkDir("testdata/recordings", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		s := host.Server{Results: map[string][]json.RawMessage{}, Questions: map[string][]json.RawMessage{}}
		for line := range strings.Lines(string(text)) {
			line, sent := strings.CutPrefix(line, "< ")
			var m recordedMessage
			var r recordedResult
			if !sent || json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &m) != nil {
				continue
			}
			if m.Method == "elicitation/create" {
				s.Questions[file] = append(s.Questions[file], m.Params)
			}
			if json.Unmarshal(m.Result, &r) != nil {
				continue
			}
			for _, raw := range r.Tools { // a recording can have several lists
				if !slices.ContainsFunc(s.Tools, func(other json.RawMessage) bool { return nameOf(other) == nameOf(raw) }) {
					s.Tools = append(s.Tools, raw)
				}
			}
			for _, q := range r.Requests {
				s.Questions[file] = append(s.Questions[file], q.Params)
			}
			if r.Content != nil && r.Requests == nil {
				s.Results[file] = append(s.Results[file], m.Result)
			}
		}
		all[file] = s
		return nil
	}))
	return all
}

// ofTheTool are the rules that the author of a tool decides about, and those
// that no server can help. The choices of the library break no other rule.
var ofTheTool = map[string]string{
	"host.call.again":     "a write without a key has its effect again; the contract declares that",
	"host.hints.unasked":  "a reversible write inside the system that its contract lets an agent make",
	"host.name.folded":    "a server that lists dotted names",
	"host.name.refused":   "a server that lists dotted names",
	"host.output.schema":  "one host may not call tools with an output schema",
	"host.question.none":  "the host shows no questions, so a person decides on a page",
	"host.result.blocks":  "a replayed result has a note behind the complete text",
	"host.result.integer": "a calculator whose caller asks for such numbers",
	"host.schema.dropped": "the guard checks what the host does not show",
}

// TestHosts_ChoicesOfTheGuardHoldInEach: every recorded list, result and
// question is one that every host takes, shows whole, and does not answer by
// itself.
func TestHosts_ChoicesOfTheGuardHoldInEach(t *testing.T) {
	t.Parallel()
	hosts, err := host.Find("")
	require.NoError(t, err)
	results, tools, questions := 0, 0, 0
	found := map[string]bool{}
	for file, s := range recordedServers(t) {
		for _, f := range host.Lint(s, hosts...) {
			found[f.Rule] = true
			if ofTheTool[f.Rule] == "" {
				assert.Fail(t, "a host does not take what the server sent", "%s: %s: %s", file, f.Host, f)
			}
		}
		tools += len(s.Tools)
		questions += len(s.Questions[file])
		for _, raw := range s.Results[file] {
			results++
			var r recordedResult
			require.NoError(t, json.Unmarshal(raw, &r))
			require.NotEmpty(t, r.Content, file)
			for _, more := range r.Content[1:] {
				isNote := more.Type != "text" || strings.Contains(more.Text, "recorded")
				assert.True(t, isNote, "%s: only a note of a replay stands behind the complete text", file)
			}
			if r.Structured != nil {
				text := r.Content[0].Text
				text = text[strings.Index(text, "{") : strings.LastIndex(text, "}")+1]
				assert.JSONEq(t, string(r.Structured), text, "%s: the text is complete", file)
			}
		}
	}
	assert.Greater(t, results, 900)
	assert.Greater(t, tools, 50)
	assert.Greater(t, questions, 100)
	assert.Equal(t, slices.Sorted(maps.Keys(ofTheTool)), slices.Sorted(maps.Keys(found)))
}

func nameOf(tool json.RawMessage) string {
	var t struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(tool, &t) != nil {
		return ""
	}
	return t.Name
}
