package exampleserver_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

func emails(t *testing.T) exampleserver.Server {
	t.Helper()
	tools, err := new(mail.Post).Tools()
	require.NoError(t, err)
	return exampleserver.Server{Name: "emails", Version: "1.0.0", Tools: tools}
}

func TestTheCommandLine(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, taken.Close()) })
	tests := []struct {
		name string
		args []string
		code int
	}{
		{"help is no mistake", []string{"-h"}, 0},
		{"an unknown flag", []string{"-htp", "x"}, 2},
		{"a word", []string{"serve"}, 2},
		{"a tier that there is not", []string{"-tier", "some"}, 2},
		{"local permissions over HTTP", []string{"-http", "127.0.0.1:0", "-permissions", "x"}, 2},
		{"an address that is taken", []string{"-http", taken.Addr().String()}, 1},
		{"an address that is none", []string{"-http", "nowhere"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			assert.Equal(t, tt.code, emails(t).Main(tt.args, &stderr))
			assert.NotEmpty(t, stderr.String())
		})
	}
}

func TestTheHandler(t *testing.T) {
	t.Parallel()
	handler, g, err := emails(t).Handler(mcpgo.Full)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	tests := []struct {
		name, path string
		size       int
		want       int
	}{
		{"a body over the bound", "/mcp", 5 << 20, http.StatusRequestEntityTooLarge},
		{"another path", "/", 2, http.StatusNotFound},
		{"below the path", "/mcp/x", 2, http.StatusNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", tt.size) + `"}}`)
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, tt.path, body)
			request.Header.Set("Content-Type", "application/json")
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, request)
			assert.Equal(t, tt.want, recorder.Code)
		})
	}
}

func TestTheHandlerReportsWhatCannotBeServed(t *testing.T) {
	t.Parallel()
	s := emails(t)
	_, _, err := s.Handler(mcpgo.Full, guard.WithAudit(nil))
	require.Error(t, err)
	s.Tools = append(s.Tools, s.Tools[0])
	_, _, err = s.Handler(mcpgo.Full)
	require.Error(t, err, "a name twice")
}
