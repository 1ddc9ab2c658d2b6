package messagelimit_test

import (
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/messagelimit"
)

const stream = "text/event-stream; charset=utf-8"

// Every text is read whole and byte by byte, because a line can be split
// anywhere.
func TestClient_BoundsEachMessageOfAResponse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind, body string
		exceeds    bool
		status     int // zero: 200
	}{
		"a body at the limit":             {"application/json", "0123456789", false, 0},
		"a body beyond it":                {"application/json", "0123456789a", true, 0},
		"lines of a body":                 {"application/json", "01234\n\n56789", true, 0},
		"a body without a type":           {"", "0123456789a", true, 0},
		"small events":                    {stream, strings.Repeat("data:012\n\n", 9), false, 0},
		"small events with CRLF":          {stream, strings.Repeat("data:0\r\n\r\n", 9), false, 0},
		"an event at the limit":           {stream, "data:0123\n\ndata:0123\n\n", false, 0},
		"a line beyond it":                {stream, "\n\ndata:0123456", true, 0},
		"an event of several lines":       {stream, "data:01\ndata:23\n", true, 0},
		"an event of lines with CRLF":     {stream, "data:01\r\ndata:23\r\n", true, 0},
		"an event of lines with lone CRs": {stream, "data:01\r\rdata:23\r\r", true, 0},
		"small events of an accepted":     {stream, strings.Repeat("data:012\n\n", 9), false, http.StatusAccepted},
		"small events of an error":        {stream, strings.Repeat("\n", 99), true, http.StatusBadGateway},
		"small events of a created":       {stream, strings.Repeat("\n", 99), true, http.StatusCreated},
	} {
		for reading, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "in bytes": iotest.OneByteReader} {
			limit := messagelimit.New(11)
			if c.kind != stream {
				limit = messagelimit.New(10)
			}
			client := limit.Client(&http.Client{Transport: answering(func(r *http.Request) *http.Response {
				return &http.Response{StatusCode: cmp.Or(c.status, http.StatusOK), Header: http.Header{"Content-Type": {c.kind}}, Body: io.NopCloser(wrap(strings.NewReader(c.body))), Request: r}
			})})
			response, err := client.Get("http://example.com")
			require.NoError(t, err, name)
			read, err := io.ReadAll(response.Body)
			require.NoError(t, response.Body.Close(), name)
			assert.Equal(t, c.exceeds, err != nil, "%s, %s", name, reading)
			assert.Equal(t, c.exceeds, limit.Exceeded(), "%s, %s", name, reading)
			if !c.exceeds {
				assert.Equal(t, c.body, string(read), "%s, %s", name, reading)
				continue
			}
			n, err := response.Body.Read(make([]byte, 1))
			assert.Zero(t, n, name)
			require.Error(t, err, "%s: the body has ended", name)
		}
	}
}

type answering func(*http.Request) *http.Response

func (f answering) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func TestClient_BoundsADecompressedBody(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		_, _ = io.WriteString(packed, strings.Repeat("x", 10_000))
		_ = packed.Close()
	}))
	t.Cleanup(srv.Close)
	limit := messagelimit.New(9_999)
	response, err := limit.Client(nil).Get(srv.URL)
	require.NoError(t, err)
	_, err = io.ReadAll(response.Body)
	require.Error(t, err)
	require.NoError(t, response.Body.Close())
	assert.True(t, limit.Exceeded())
}

func TestClient_ReturnsTheErrorOfItsTransport(t *testing.T) {
	t.Parallel()
	limit := messagelimit.New(1)
	_, err := limit.Client(nil).Get("http://127.0.0.1:1") //nolint:bodyclose // there is none
	require.Error(t, err)
	assert.False(t, limit.Exceeded())
}

func TestLines_BoundsEachLine(t *testing.T) {
	t.Parallel()
	for text, exceeds := range map[string]bool{
		"0123\n0123\n\n0123\n": false,
		"0123\n012345":         true,
		"0123\n0123\r\n":       true,
		"":                     false,
	} {
		limit := messagelimit.New(5)
		read, err := io.ReadAll(limit.Lines(io.NopCloser(iotest.HalfReader(strings.NewReader(text)))))
		assert.Equal(t, exceeds, err != nil, text)
		assert.Equal(t, exceeds, limit.Exceeded(), text)
		if !exceeds {
			assert.Equal(t, text, string(read))
		}
	}
	limit := messagelimit.New(5)
	_, err := io.ReadAll(limit.Lines(io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.False(t, limit.Exceeded())
}
