package corpus_test

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unrecorded are headers of responses that do not depend on the server.
var unrecorded = []string{"Date", "Content-Length", "Connection"}

type httpWire struct {
	address string
	version string
	bearer  string
	session string
	rec     *recording
	client  *http.Client
}

func newHTTPWire(address, version string, rec *recording) *httpWire {
	return &httpWire{address: address, version: version, rec: rec, client: &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// headers returns those that a client of the version sends with a message.
func (w *httpWire) headers(body string) http.Header {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if w.bearer != "" {
		h.Set("Authorization", "Bearer "+w.bearer)
	}
	if w.session != "" {
		h.Set("Mcp-Session-Id", w.session)
	}
	if w.version == modern {
		var e struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		var params struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal([]byte(body), &e) // messages may be wrong on purpose
		_ = json.Unmarshal(e.Params, &params)
		h.Set("Mcp-Protocol-Version", modern)
		if e.Method != "" {
			h.Set("Mcp-Method", e.Method)
		}
		if params.Name != "" {
			h.Set("Mcp-Name", params.Name)
		}
	} else if w.session != "" {
		h.Set("Mcp-Protocol-Version", legacy)
	}
	return h
}

// do sends a request and records the status and the headers of the response.
func (w *httpWire) do(t *testing.T, method, path, body string, h http.Header) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(patient(t), method, w.address+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header = h
	resp, err := w.client.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	w.rec.received(resp.Status)
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		for _, value := range resp.Header[name] {
			if !slices.Contains(unrecorded, name) {
				w.rec.received(name + ": " + value)
			}
		}
	}
	return resp
}

func (w *httpWire) post(t *testing.T, m message) *http.Response {
	t.Helper()
	w.rec.sent(m.text)
	body := w.rec.mask.expand(m.text)
	h := w.headers(body)
	w.override(h, m.headers)
	return w.do(t, http.MethodPost, "/mcp", body, h)
}

// override sets headers, and removes those without a value.
func (w *httpWire) override(h http.Header, lines []string) {
	for _, line := range lines {
		w.rec.note(line)
		name, value, _ := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); value == "" {
			h.Del(name)
		} else {
			h.Set(name, w.rec.mask.expand(value))
		}
	}
}

// body records the body of a response that is not a stream.
func (w *httpWire) body(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		w.rec.received(strings.TrimSuffix(line, "\n"))
	}
	return strings.TrimSpace(string(data))
}

func (w *httpWire) send(t *testing.T, m message) string {
	t.Helper()
	resp := w.post(t, m)
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		w.session = id
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return w.body(t, resp)
	}
	response := ""
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		w.rec.received(lines.Text())
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e envelope
		require.NoError(t, json.Unmarshal([]byte(data), &e), data)
		switch {
		case e.isRequest():
			w.body(t, w.post(t, message{text: m.answer(e.ID)})) //nolint:bodyclose // body closes it
		case e.isResponse():
			response = data
		}
	}
	require.NoError(t, lines.Err())
	return response
}
