package corpus_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/longtest"
)

// maxQuestions bounds the questions of one call.
const maxQuestions = 10

// flagless are the servers that do not take the flags of the others.
var flagless = []string{"smallest", "migration", "plain"}

// A scenario is a script in one run.
type scenario struct {
	script  script
	run     run
	rec     *recording
	process *process
	wire    wire
	web     *httpWire // over HTTP, the same as wire
	dir     string
	store   *store // nil without a shared store
	tokens  map[string]string
	can     string
	id      int
	opened  bool
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	for i, s := range readScripts(t) {
		runs := s.runs
		if !*update && !longtest.Enabled() {
			runs = runs[i%len(runs):][:1] // neighbouring scripts take different ones
		}
		for _, r := range runs {
			t.Run(s.name+"/"+r.String(), func(t *testing.T) {
				t.Parallel()
				compare(t, s.name+"/"+r.String()+".txt", play(t, s, r))
			})
		}
	}
}

// TestRequests counts the requests in the recordings, and fails for recordings
// whose script is gone.
func TestRequests(t *testing.T) {
	if *update {
		t.Skip("the recordings are being written")
	}
	expected := map[string]bool{filepath.FromSlash("testdata/recordings/commands/all.txt"): true}
	for _, s := range readScripts(t) {
		for _, r := range s.runs {
			expected[filepath.Join("testdata", "recordings", s.name, r.String()+".txt")] = true
		}
	}
	files, err := filepath.Glob("testdata/recordings/*/*.txt")
	require.NoError(t, err)
	total, counts := 0, map[string]int{}
	for _, file := range files {
		require.True(t, expected[file], "%s has no script", file)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		n := requests(string(data))
		total += n
		counts[filepath.Base(file)] += n
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Log(counts[name], name)
	}
	t.Log(total, "requests")
	require.GreaterOrEqual(t, total, minRequests)
}

// play runs a script and returns the text of the recording.
func play(t *testing.T, s script, r run) string {
	t.Helper()
	private := t.TempDir()
	dir, log := filepath.Join(private, "root"), filepath.Join(private, "audit.jsonl")
	require.NoError(t, os.Mkdir(dir, 0o700))
	sc := &scenario{
		script: s, run: r, dir: dir, can: "{}",
		rec: &recording{mask: newMasker(dir, r.transport == overStdio || s.server[0] == "oauth")}, tokens: map[string]string{},
	}
	args := slices.Clone(s.server)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "<dir>", dir)
	}
	if slices.Contains(args, "<redis>") {
		sc.store = startStore(t)
		args[slices.Index(args, "<redis>")] = sc.store.url
	}
	withFile := s.logs == "file" && !slices.Contains(flagless, s.server[0])
	if withFile {
		args = append(args, "-audit", log)
	}
	sc.rec.note(strings.Join(s.server, " ") + " (" + r.transport + ", " + r.version + ")")
	for _, c := range s.commands {
		if c.verb == "file" && c.applies(r) {
			sc.file(t, c)
		}
	}
	sc.process = startProcess(t, r.transport, args)
	if r.transport == overHTTP {
		sc.web = newHTTPWire(sc.process.address, r.version, sc.rec)
		sc.wire = sc.web
	} else {
		sc.wire = &stdioWire{sc.process, sc.rec}
	}
	for _, c := range s.commands {
		if c.applies(r) {
			sc.perform(t, c)
		}
	}
	if sc.web != nil {
		sc.web.client.CloseIdleConnections()
	}
	stderr := sc.process.stop(t)
	if withFile {
		data, err := os.ReadFile(log)
		require.NoError(t, err)
		require.NoError(t, checkChain(data))
		sc.rec.section("audit log", string(data))
	}
	sc.rec.section("stderr", stderr)
	return sc.rec.text.String()
}

func (s *scenario) file(t *testing.T, c command) {
	t.Helper()
	name, content, _ := strings.Cut(c.text, " ")
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(s.rec.mask.expand(content)), 0o600))
}

func (s *scenario) perform(t *testing.T, c command) {
	t.Helper()
	switch c.verb {
	case "token":
		s.token(t, c)
	case "as":
		if s.web == nil {
			return
		}
		s.rec.note("as " + c.text)
		s.web.bearer, s.web.session, s.opened = c.text, "", false
		if token, ok := s.tokens[c.text]; ok {
			s.web.bearer = token
		}
	case "can":
		s.can, s.opened = c.text, false
		if s.web != nil {
			s.web.session = ""
		}
	case "list":
		s.open(t)
		s.list(t, c)
	case "call":
		s.open(t)
		s.call(t, c)
	case "raw":
		s.open(t)
		text := strings.ReplaceAll(c.text, "<META>", s.meta(""))
		s.wire.send(t, message{text: text, silent: c.has("silent"), headers: c.option("header")})
	case "request":
		s.request(t, c)
	case "stored":
		for _, line := range s.store.changes(t, s.rec.mask, c.text == "random") {
			s.rec.add("=", line)
		}
	}
}

// open begins a session, if the version has sessions.
func (s *scenario) open(t *testing.T) {
	t.Helper()
	if s.opened || s.run.version == modern {
		return
	}
	s.opened = true
	s.id++
	s.wire.send(t, message{text: fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"initialize",`+
		`"params":{"protocolVersion":"%s","capabilities":%s,"clientInfo":{"name":"corpus","version":"1.0.0"}}}`,
		s.id, legacy, s.can)})
	s.wire.send(t, message{text: `{"jsonrpc":"2.0","method":"notifications/initialized"}`, silent: true})
}

// meta returns the members of _meta that the version needs, and more.
func (s *scenario) meta(more string) string {
	if s.run.version != modern {
		return more
	}
	meta := `"io.modelcontextprotocol/protocolVersion":"` + modern +
		`","io.modelcontextprotocol/clientInfo":{"name":"corpus","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":` +
		s.can
	if more != "" {
		meta += "," + more
	}
	return meta
}

// message makes a request with the params, to which it adds _meta.
func (s *scenario) message(method, params, more string) string {
	if meta := s.meta(more); meta != "" {
		if params != "" {
			params += ","
		}
		params += `"_meta":{` + meta + "}"
	}
	s.id++
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s}}`, s.id, method, params)
}

func (s *scenario) list(t *testing.T, c command) {
	t.Helper()
	params := ""
	if c.text != "" {
		params = `"cursor":"` + c.text + `"`
	}
	s.wire.send(t, message{text: s.message("tools/list", params, "")})
}

func (s *scenario) call(t *testing.T, c command) {
	t.Helper()
	tool, arguments, _ := strings.Cut(c.text, " ")
	params := `"name":"` + tool + `"`
	if arguments != "-" {
		params += `,"arguments":` + arguments
	}
	with := params
	if more := c.option("with"); more != nil {
		with += "," + strings.Join(more, ",")
	}
	times := 1
	for _, text := range c.option("times") {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		times = n
	}
	answers, meta := c.option("answer"), strings.Join(c.option("_meta"), ",")
	asked := 0
	next := func() string { // a question that is asked again gets the last answer again
		require.NotEmpty(t, c.option("answer"), "%s: a question without an answer: %s", s.script.name, c.text)
		asked++
		require.Less(t, asked, maxQuestions, "%s: asked too often: %s", s.script.name, c.text)
		if len(answers) == 0 {
			return c.option("answer")[len(c.option("answer"))-1]
		}
		answer := answers[0]
		answers = answers[1:]
		return answer
	}
	m := message{headers: c.option("header"), answer: func(id json.RawMessage) string {
		answer := next()
		if strings.HasPrefix(answer, `{"error"`) {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s`, id, answer[1:])
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, answer)
	}}
	for range times {
		m.text = s.message("tools/call", with, meta)
		response := s.wire.send(t, m)
		for len(answers) > 0 {
			var asked struct {
				Result struct {
					InputRequests map[string]json.RawMessage `json:"inputRequests"`
					RequestState  string                     `json:"requestState"`
				} `json:"result"`
			}
			if json.Unmarshal([]byte(response), &asked) != nil || asked.Result.RequestState == "" {
				break
			}
			key := slices.Sorted(maps.Keys(asked.Result.InputRequests))[0]
			m.text = s.message("tools/call", params+fmt.Sprintf(`,"inputResponses":{"%s":%s},"requestState":"%s"`,
				key, next(), s.rec.mask.line(asked.Result.RequestState)), meta)
			response = s.wire.send(t, m)
		}
	}
}

func (s *scenario) request(t *testing.T, c command) {
	t.Helper()
	method, path, _ := strings.Cut(c.text, " ")
	s.rec.sent(c.text)
	h := http.Header{}
	s.web.override(h, c.option("header"))
	body := strings.Join(c.option("body"), "\n")
	if body != "" {
		s.rec.note(body)
	}
	body = strings.ReplaceAll(body, "<META>", s.meta(""))
	s.web.body(t, s.web.do(t, method, s.rec.mask.expand(path), s.rec.mask.expand(body), h)) //nolint:bodyclose // body closes it
}

// token gets an access token for the server.
func (s *scenario) token(t *testing.T, c command) {
	t.Helper()
	name, text, _ := strings.Cut(c.text, " ")
	form, err := url.ParseQuery(text)
	require.NoError(t, err)
	if !form.Has("resource") {
		form.Set("resource", s.process.address+"/mcp")
	}
	s.rec.sent("POST /issuer/token")
	s.rec.note(c.text)
	resp := s.web.do(t, http.MethodPost, "/issuer/token", form.Encode(), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}) //nolint:bodyclose // body closes it
	var granted struct {
		AccessToken string `json:"access_token"`
	}
	require.NoError(t, json.Unmarshal([]byte(s.web.body(t, resp)), &granted))
	s.tokens[name] = granted.AccessToken
}
