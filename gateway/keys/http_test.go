package keys_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/gateway/keys"
)

func TestHandler_WritesKeysIntoLists(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 2, 7, 64} {
		for _, flush := range []bool{false, true} {
			e := endpoint{header: asJSON(), answer: listAnswer + "\n", chunk: size, flush: flush}
			e.header["Content-Length"] = strconv.Itoa(len(e.answer))
			r := e.over(listRequest)
			assert.Equal(t, listWithKeys+"\n", r.Body.String(), size)
			assert.Equal(t, strconv.Itoa(len(listWithKeys)+1), r.Header().Get("Content-Length"))

			e = endpoint{header: asEvents(), answer: event(`{"jsonrpc":"2.0","method":"notifications/progress"}`) + event(listAnswer),
				chunk: size, flush: flush}
			assert.Equal(t, strings.Replace(e.answer, listAnswer, listWithKeys, 1), e.over(listRequest).Body.String(), size)
		}
	}
}

func TestHandler_ReadsEveryFormOfARequestAndItsAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ request, answer, want string }{
		"the members in another order": {
			`{"params":{"cursor":"x"},"method":"tools/list","id":1,"jsonrpc":"2.0"}`,
			`{"result":{"tools":[{"name":"mail_send","annotations":{}}]},"id":1,"jsonrpc":"2.0"}`,
			`{"result":{"tools":[{"name":"mail_send","annotations":{` + sendKeys + `}}]},"id":1,"jsonrpc":"2.0"}`,
		},
		"an escaped slash and a text as the id": {
			`{"id":"\u0061","method":"tools\/list"}`,
			`{"id":"a","result":{"tools":[{"name":"mail_send","annotations":{}}]}}`,
			`{"id":"a","result":{"tools":[{"name":"mail_send","annotations":{` + sendKeys + `}}]}}`,
		},
		"an id with a fraction": {
			`{"id":1.0,"method":"tools/list"}`,
			`{"id":1,"result":{"tools":[{"name":"mail_send","annotations":{}}]}}`,
			`{"id":1,"result":{"tools":[{"name":"mail_send","annotations":{` + sendKeys + `}}]}}`,
		},
		"a tool without annotations": {
			listRequest,
			`{"id":1,"result":{"tools":[{"name":"mail_send" }]}}`,
			`{"id":1,"result":{"tools":[{"name":"mail_send" ,"annotations":{` + sendKeys + `}}]}}`,
		},
		"annotations of null": {
			listRequest,
			`{"id":1,"result":{"tools":[{"name":"mail_send","annotations": null }]}}`,
			`{"id":1,"result":{"tools":[{"name":"mail_send","annotations": {` + sendKeys + `} }]}}`,
		},
		"keys of somebody else": {
			listRequest,
			`{"id":1,"result":{"tools":[{"name":"mail_send","annotations":{"risk_level":"read-only","own":[1, 2]}}]}}`,
			`{"id":1,"result":{"tools":[{"name":"mail_send","annotations":{"own":[1, 2],` + sendKeys + `}}]}}`,
		},
		"a batch": {
			`[{"id":1,"method":"tools/list"},{"id":2,"method":"tools/call"}]`,
			`[{"id":2,"result":{"tools":[{"name":"mail_send"}]}},{"id":1,"result":{"tools":[{"name":"mail_send","annotations":{}}]}}]`,
			`[{"id":2,"result":{"tools":[{"name":"mail_send"}]}},{"id":1,"result":{"tools":[{"name":"mail_send","annotations":{` +
				sendKeys + `}}]}}]`,
		},
	} {
		assert.Equal(t, c.want, endpoint{header: asJSON(), answer: c.answer}.over(c.request).Body.String(), name)
	}
}

func TestHandler_PassesOtherAnswersUnchanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request string
		e       endpoint
	}{
		"another request": {callRequest, endpoint{header: asJSON(), answer: listAnswer}},
		"another id": {strings.Replace(listRequest, "1,", "2,", 1), endpoint{header: asJSON(),
			answer: listAnswer}},
		"an id of another type": {strings.Replace(listRequest, "1,", `"1",`, 1), endpoint{header: asJSON(),
			answer: listAnswer}},
		"a notification": {`{"jsonrpc":"2.0","method":"tools/list"}`, endpoint{header: asJSON(), answer: listAnswer}},
		"an id of null": {`{"id":null,"method":"tools/list"}`, endpoint{header: asJSON(),
			answer: `{"id":null,"result":{"tools":[{"name":"mail_send"}]}}`}},
		"two methods": {`{"id":1,"method":"tools/list","method":"tools/call"}`, endpoint{header: asJSON(),
			answer: listAnswer}},
		"a method in another case": {`{"id":1,"method":"tools/list","Method":"tools/call"}`, endpoint{header: asJSON(),
			answer: listAnswer}},
		"an id in another case":  {`{"id":1,"method":"tools/list","ID":2}`, endpoint{header: asJSON(), answer: listAnswer}},
		"a request that goes on": {listRequest + `{}`, endpoint{header: asJSON(), answer: listAnswer}},
		"a long request":         {listRequest + strings.Repeat(" ", 64<<10), endpoint{header: asJSON(), answer: listAnswer}},
		"an error": {listRequest, endpoint{header: asJSON(),
			answer: `{"id":1,"error":{"tools":[{"name":"mail_send"}]}}`}},
		"a request of the server": {listRequest, endpoint{header: asJSON(), answer: strings.Replace(listAnswer, "{",
			`{"method":"x",`, 1)}},
		"a malformed answer":     {listRequest, endpoint{header: asJSON(), answer: listAnswer[:len(listAnswer)-1]}},
		"an answer that goes on": {listRequest, endpoint{header: asJSON(), answer: listAnswer + "{}"}},
		"two members of one name": {listRequest, endpoint{header: asJSON(), answer: strings.Replace(listAnswer, "{", `{"id":1,`,
			1)}},
		"another status": {listRequest, endpoint{header: asJSON(), status: http.StatusAccepted, answer: listAnswer}},
		"another type": {listRequest, endpoint{header: map[string]string{"Content-Type": "text/plain"},
			answer: listAnswer}},
		"no type": {listRequest, endpoint{answer: listAnswer}},
		"a compressed answer": {listRequest, endpoint{header: map[string]string{"Content-Type": "application/json",
			"Content-Encoding": "br"}, answer: listAnswer}},
		"nothing": {listRequest, endpoint{header: asJSON()}},
		"annotations that are no object": {listRequest, endpoint{header: asJSON(),
			answer: `{"id":1,"result":{"tools":[{"name":"mail_send","annotations":[]}]}}`}},
		"elements that are no tools": {listRequest, endpoint{header: asJSON(),
			answer: `{"id":1,"result":{"tools":["mail_send",{"name":1},{}]}}`}},
		"an event that does not end": {listRequest, endpoint{header: asEvents(), answer: "data: " + listAnswer + "\n"}},
		"an event of another field":  {listRequest, endpoint{header: asEvents(), answer: "datum: " + listAnswer + "\n\n"}},
		"a second answer to one request": {listRequest, endpoint{header: asEvents(),
			answer: event(`{"id":1,"result":{}}`) + event(listAnswer)}},
		"an event that is not an answer": {listRequest, endpoint{header: asEvents(), answer: event(strings.Replace(listAnswer, "1",
			"2", 1))}},
		"events that are only line feeds": {listRequest, endpoint{header: asEvents(), answer: "\n\r\n\r\r\n: ping\n\n"}},
	} {
		for _, size := range []int{0, 1, 13} {
			e := c.e
			e.chunk = size
			assert.Equal(t, e.answer, e.over(c.request).Body.String(), name)
		}
	}
}

func TestHandler_TakesEveryLineBreakOfEvents(t *testing.T) {
	t.Parallel()
	for _, lineBreak := range []string{"\n", "\r\n", "\r"} {
		in := strings.ReplaceAll("id: 7\ndata: {\"id\":1,\ndata:\"result\":{\"tools\":[{\"name\":\"mail_send\"\ndata\ndata: "+
			"}]}}\nretry: 5\n\ndata: x\n\n", "\n", lineBreak)
		want := strings.ReplaceAll("id: 7\ndata: {\"id\":1,\ndata: \"result\":{\"tools\":[{\"name\":\"mail_send\"\ndata: \ndata: "+
			",\"annotations\":{"+sendKeys+"}}]}}\nretry: 5\n\ndata: x\n\n", "\n", lineBreak)
		for _, size := range []int{0, 1, 5} {
			assert.Equal(t, want, endpoint{header: asEvents(), answer: in, chunk: size}.over(listRequest).Body.String(), "%q", lineBreak)
		}
	}
}

// TestHandler_PassesEventsAtOnce also needs that a flush reaches the client.
func TestHandler_PassesEventsAtOnce(t *testing.T) {
	t.Parallel()
	read := make(chan struct{})
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, event("{}"))
		flusher, ok := w.(http.Flusher)
		assert.True(t, ok)
		flusher.Flush()
		<-read
		_, _ = io.WriteString(w, event(listAnswer))
	})
	server := httptest.NewServer(keys.Handler(next, keysOf))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(listRequest))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	first := make([]byte, len(event("{}")))
	_, err = io.ReadFull(response.Body, first)
	require.NoError(t, err)
	close(read)
	rest, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	assert.Equal(t, event("{}")+event(listWithKeys), string(first)+string(rest))
}

func TestHandler_HoldsAtMost16MiB(t *testing.T) {
	t.Parallel()
	long := strings.Replace(listAnswer, `"Send"`, `"`+strings.Repeat("x", 16<<20)+`"`, 1)
	for name, answer := range map[string]endpoint{
		"JSON":   {header: asJSON(), answer: long, chunk: 1 << 20},
		"events": {header: asEvents(), answer: event(long), chunk: 1 << 20},
	} {
		// An event after a long one is read again.
		if name == "events" {
			answer.answer += event(listAnswer)
		}
		got := answer.over(listRequest).Body.Bytes()
		want := strings.TrimSuffix(answer.answer, event(listAnswer))
		assert.True(t, bytes.HasPrefix(got, []byte(want)), name)
		if name == "events" {
			assert.Equal(t, event(listWithKeys), string(got[len(want):]))
		}
	}
}

func TestHandler_PassesOtherMethodsAndWriters(t *testing.T) {
	t.Parallel()
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, ok := w.(http.Flusher)
		assert.False(t, ok, "the writer cannot be flushed")
		w.WriteHeader(http.StatusTeapot)
	})
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		recorder := httptest.NewRecorder()
		w := struct{ http.ResponseWriter }{recorder}
		keys.Handler(next, keysOf).ServeHTTP(w, httptest.NewRequest(method, "/mcp", strings.NewReader(listRequest)))
		assert.Equal(t, http.StatusTeapot, recorder.Code)
	}
}
