package corpus_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A twinDifference is a reason for which an answer of the official SDK differs
// from the recording. The lines are those of its version 1.8.0.
type twinDifference struct {
	reason string
	sdk    string
	sent   *regexp.Regexp // nil: any request
	was    *regexp.Regexp // nil: any answer
	is     *regexp.Regexp
}

var twinDifferences = []twinDifference{
	{
		"an unknown tool: other words, the same code", "mcp/server.go:1010", nil,
		regexp.MustCompile(`-32602,.*not found: tool not found`), regexp.MustCompile(`-32602,.*unknown tool \\"`),
	},
	{
		"parameters that cannot be read: gosdk answers, because the SDK would repeat them", "mcp/shared.go:349", nil, nil,
		regexp.MustCompile(`-32602,.*the parameters of tools/call cannot be read`),
	},
	{
		"the member task is dropped, so that the call runs at once", "mcp/protocol.go:241", regexp.MustCompile(`"task":`),
		regexp.MustCompile(`"invalid_input"`), regexp.MustCompile(`"status":"ok"`),
	},
	{
		"that call has run, so that the next one is its repetition", "mcp/protocol.go:241",
		regexp.MustCompile(`"unknown":true`), regexp.MustCompile(`"status":"ok"`), regexp.MustCompile(`"status":"replayed"`),
	},
	{
		"a member of another case is not taken for name", "internal/json/json.go:32", regexp.MustCompile(`"Name":`),
		regexp.MustCompile(`"invalid_input"`), regexp.MustCompile(`"status":"ok"|-32020`),
	},
	{
		"a version of _meta that is not that of the session", "mcp/streamable.go:1550", nil, nil,
		regexp.MustCompile(`-32022,.*is not supported by this server`),
	},
	{
		"an unknown method: other words, and status 400 for older versions", "mcp/shared.go:238", nil,
		regexp.MustCompile(`-32601`), regexp.MustCompile(`method not found: |JSON RPC not handled: `),
	},
	{
		"resources and prompts are listed without the capability", "mcp/server.go:1027",
		regexp.MustCompile(`(resources|prompts)/list`), regexp.MustCompile(`-32601`), regexp.MustCompile(`"(resources|prompts)":\[\]`),
	},
	{
		"a message that is not JSON-RPC 2.0: other words", "mcp/streamable.go:1441", nil,
		regexp.MustCompile(`-32600|-32700`), regexp.MustCompile(`malformed payload|the line is not a JSON`),
	},
	{"a batch", "mcp/streamable.go:1451", nil, nil, regexp.MustCompile(`JSON-RPC batching is not supported`)},
	{
		"a header that does not match: other words, the same code", "mcp/streamable_headers.go:372", nil,
		regexp.MustCompile(`-32020`), regexp.MustCompile(`-32020`),
	},
	{
		"_meta without a version: other words, the same code", "mcp/streamable.go:1568", nil,
		regexp.MustCompile(`-32602`), regexp.MustCompile(`-32602,.*missing or invalid _meta field`),
	},
	{
		"a second initialize in a session", "mcp/server.go:2096", regexp.MustCompile(`"initialize"`), nil,
		regexp.MustCompile(`duplicate \\"initialize\\" received`),
	},
	{
		"a cursor that does not open: other words, the same code", "mcp/server.go:2221", nil,
		regexp.MustCompile(`-32602`), regexp.MustCompile(`-32602,"message":"invalid params"`),
	},
	{"a method of HTTP that is not served", "mcp/streamable.go:384", nil, nil, regexp.MustCompile(`^405 Method Not Allowed`)},
	{"DELETE without a session", "mcp/streamable.go:452", nil, nil, regexp.MustCompile(`DELETE requires an Mcp-Session-Id header`)},
	{"a body of another content type", "mcp/streamable.go:389", nil, nil, regexp.MustCompile(`^415 Unsupported Media Type`)},
	{
		"a request before initialize", "mcp/server.go:1991", nil, regexp.MustCompile(`^404 Not Found`),
		regexp.MustCompile(`is invalid during session initialization`),
	},
	{
		"an unknown session: other words", "mcp/streamable.go:564", nil, regexp.MustCompile(`^404 Not Found`),
		regexp.MustCompile(`^404 Not Found[^{]*session not found`),
	},
	{
		"an unknown version in the header: other words", "mcp/streamable.go:355", nil, regexp.MustCompile(`^400 `),
		regexp.MustCompile(`^400 [^{]*Unsupported protocol version \(supported`),
	},
	{
		"the description of the server is public", "mcp/protocol.go:1192", regexp.MustCompile(`"server/discover"`),
		regexp.MustCompile(`"cacheScope":"private"`), regexp.MustCompile(`"cacheScope":"public"`),
	},
	{
		"a request without a version, after one of 2026-07-28 on a stream", "mcp/mrtr.go:59",
		regexp.MustCompile(`"id":90[678],`), regexp.MustCompile(`"status":"ok"`), regexp.MustCompile(`"resultType":"complete"`),
	},
	{
		"a number that no float64 holds: the guard explains it, but not where the SDK compares headers", "mcp/protocol.go:250",
		regexp.MustCompile(`1e400`), regexp.MustCompile(`-32600`), regexp.MustCompile(`"rule":"json.number"|-32020`),
	},
	{
		"a list has a lifetime and a scope for caches", "mcp/protocol.go:1166", regexp.MustCompile(`"tools/list"`), nil,
		regexp.MustCompile(`"cacheScope":"private".*"ttlMs":0`),
	},
}

// onBothSDKs are the examples that TestTwin plays.
var onBothSDKs = []string{"calculator", "emails", "files", "invoices"}

// An exchange is a request in a recording, and its answer.
type exchange struct {
	sent string
	got  []string
}

// exchanges returns those of a recording, without its audit log and stderr.
func exchanges(text string) (all []exchange) {
	text, _, _ = strings.Cut(text, "\n== ")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, ">"):
			all = append(all, exchange{sent: line})
		case strings.HasPrefix(line, "<") && len(all) > 0:
			all[len(all)-1].got = append(all[len(all)-1].got, strings.TrimPrefix(strings.TrimPrefix(line, "<"), " "))
		}
	}
	return all
}

// framing matches what carries an answer over HTTP. The SDK answers with a
// stream of events (mcp/streamable.go:1356), has session ids of its own, and
// declares its plain texts to be plain.
var framing = regexp.MustCompile(`^$|^event: |^(Content-Type|Cache-Control|Mcp-Session-Id|Allow|X-Content-Type-Options|` +
	`X-Accel-Buffering): `)

// unframed returns the status line and the messages of an answer.
func (e exchange) unframed() (lines []string) {
	for _, line := range e.got {
		if !framing.MatchString(line) {
			lines = append(lines, strings.TrimPrefix(line, "data: "))
		}
	}
	return lines
}

var placeholder = regexp.MustCompile(`<([a-zA-Z]+)-\d+>`)

// canonical returns lines with the keys of their objects in order, and the
// placeholders numbered in the order of the result.
func canonical(lines []string, without ...string) string {
	sorted := make([]string, len(lines))
	for i, line := range lines {
		sorted[i] = line
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if d.Decode(&m) != nil {
			continue
		}
		if result, ok := m["result"].(map[string]any); ok {
			for _, member := range without {
				delete(result, member)
			}
		}
		if raw, err := json.Marshal(m); err == nil {
			sorted[i] = string(raw)
		}
	}
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(strings.Join(sorted, "\n"))
	numbers, counts := map[string]string{}, map[string]int{}
	return placeholder.ReplaceAllStringFunc(text, func(p string) string {
		if numbers[p] == "" {
			kind := placeholder.FindStringSubmatch(p)[1]
			counts[kind]++
			numbers[p] = fmt.Sprintf("<%s-%d>", kind, counts[kind])
		}
		return numbers[p]
	})
}

// A twinTally counts exchanges by class.
type twinTally struct {
	mu      sync.Mutex
	classes map[string]int
}

func (c *twinTally) add(class string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.classes[class]++
}

const (
	classEqual = "equal"
	classOrder = "equal except for the order of keys"
)

// classify returns how an answer of the twin differs, or "" for a difference
// that is not known.
func classify(was, is exchange) string {
	a, b := was.unframed(), is.unframed()
	if slices.Equal(a, b) {
		return classEqual
	}
	from, to := canonical(a), canonical(b)
	if from == to {
		return classOrder
	}
	for _, d := range twinDifferences {
		if (d.sent == nil || d.sent.MatchString(was.sent)) && (d.was == nil || d.was.MatchString(from)) && d.is.MatchString(to) {
			if strings.Contains(was.sent, `"method":"tools/list"`) && strings.Contains(to, `"ttlMs"`) &&
				from != canonical(b, "ttlMs", "cacheScope") {
				return ""
			}
			return d.class()
		}
	}
	return ""
}

func (d twinDifference) class() string { return d.reason + " (" + d.sdk + ")" }

// TestTwin plays the scripts against the same servers on the official SDK. Their
// answers are the recorded ones, except for the known differences.
func TestTwin(t *testing.T) {
	t.Parallel()
	tally := &twinTally{classes: map[string]int{}}
	t.Run("scripts", func(t *testing.T) {
		for _, s := range readScripts(t) {
			if !slices.Contains(onBothSDKs, s.server[0]) || slices.Contains(s.server, "<redis>") {
				continue
			}
			s.server = append(slices.Clone(s.server), "-sdk", "official")
			for _, r := range s.runs {
				t.Run(s.name+"/"+r.String(), func(t *testing.T) {
					t.Parallel()
					recorded, err := os.ReadFile(filepath.Join("testdata", "recordings", s.name, r.String()+".txt"))
					require.NoError(t, err)
					was, is := exchanges(string(recorded)), exchanges(play(t, s, r))
					require.Len(t, is, len(was))
					for i := range was {
						class := classify(was[i], is[i])
						if !assert.NotEmpty(t, class, "%s\n- %s\n+ %s", was[i].sent, canonical(was[i].unframed()), canonical(is[i].unframed())) {
							continue
						}
						tally.add(class)
					}
				})
			}
		}
	})
	for _, class := range slices.Sorted(maps.Keys(tally.classes)) {
		t.Logf("%4d %s", tally.classes[class], class)
	}
	assert.Positive(t, tally.classes[classEqual])
	assert.Positive(t, tally.classes[classOrder])
	for _, d := range twinDifferences {
		assert.Positive(t, tally.classes[d.class()], "remove what no longer differs: %s", d.class())
	}
}
