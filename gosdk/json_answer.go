package gosdk

import (
	"bytes"
	"mime"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// acceptsOnlyJSON is the Accept header that the SDK sees from a client that
// takes no event streams. The SDK refuses a request without that media type
// (mcp/streamable.go:395) and ignores its weight.
const acceptsOnlyJSON = "application/json, text/event-stream;q=0"

// withAnyAccept lets the SDK answer a POST whose Accept header lacks one of the
// protocol's two media types, and returns the writer for the answer. A client
// that does not name event streams gets JSON. A batch stays as it is, because
// its answers don't fit in one JSON object.
func withAnyAccept(w http.ResponseWriter, r *http.Request, body []byte) http.ResponseWriter {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		return w
	}
	takesJSON, takesStream := false, false
	for value := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		base, _, err := mime.ParseMediaType(value)
		takesJSON = takesJSON || base == "application/json" || base == "application/*" || base == "*/*" || value == ""
		takesStream = takesStream || base == "text/event-stream" || base == "text/*" || base == "*/*" && err == nil
	}
	if takesJSON == takesStream {
		return w
	}
	r.Header = r.Header.Clone() // of this copy of the request
	if takesJSON {
		r.Header.Set("Accept", acceptsOnlyJSON)
		return &jsonAnswer{w}
	}
	r.Header.Add("Accept", "application/json;q=0")
	return w
}

// A jsonAnswer writes the response in an event stream as JSON and drops the
// stream's other messages. The SDK writes each event with one call.
type jsonAnswer struct{ http.ResponseWriter }

func (a *jsonAnswer) isStream() bool { return a.Header().Get("Content-Type") == "text/event-stream" }

// WriteHeader implements [http.ResponseWriter]. The status of a stream is that
// of its response.
func (a *jsonAnswer) WriteHeader(status int) {
	if !a.isStream() {
		a.ResponseWriter.WriteHeader(status)
	}
}

// Write implements [http.ResponseWriter].
func (a *jsonAnswer) Write(event []byte) (int, error) {
	if !a.isStream() {
		return a.ResponseWriter.Write(event)
	}
	for line := range bytes.Lines(event) {
		data, _ := bytes.CutPrefix(line, []byte("data: "))
		message, err := jsonrpc.DecodeMessage(data)
		if _, ok := message.(*jsonrpc.Response); err == nil && ok {
			a.Header().Set("Content-Type", "application/json")
			if _, err := a.ResponseWriter.Write(bytes.TrimSpace(data)); err != nil {
				return 0, err
			}
			a.Header().Set("Content-Type", "text/event-stream") // the headers are already sent
		}
	}
	return len(event), nil
}

// Flush implements [http.Flusher]. There is nothing to flush before the
// response.
func (*jsonAnswer) Flush() {}
