package exampleserver_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/guard"
)

func emails(t *testing.T) exampleserver.Server {
	t.Helper()
	return exampleserver.Server{Name: "emails", Version: "1.0.0", Tools: new(mail.Post).Tools}
}

func TestMain_ReturnsAnExitCode(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, taken.Close()) })
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	tests := []struct {
		name string
		args []string
		code int
	}{
		{"help", []string{"-h"}, 0},
		{"an unknown flag", []string{"-htp", "x"}, 2},
		{"an argument without a flag", []string{"serve"}, 2},
		{"an unknown tier", []string{"-tier", "some"}, 2},
		{"an unknown naming", []string{"-names", "Dotted"}, 2},
		{"an unknown SDK", []string{"-sdk", "gosdk"}, 2},
		{"local permissions over HTTP", []string{"-http", "127.0.0.1:0", "-permissions", "x"}, 2},
		{"an empty name for the audit log", []string{"-audit", ""}, 2},
		{"an empty name for the log to check", []string{"-verify-audit", ""}, 2},
		{"checking a log and serving", []string{"-verify-audit", "x", "-http", "127.0.0.1:0"}, 2},
		{"checking a log and writing it", []string{"-verify-audit", "x", "-audit", "x"}, 2},
		{"a head without a log", []string{"-head", "x"}, 2},
		{"an audit log below a file", []string{"-audit", filepath.Join(file, "audit.jsonl")}, 2},
		{"a size of logs without a log", []string{"-audit-size", "10"}, 2},
		{"a negative size of logs", []string{"-audit", t.TempDir(), "-audit-size", "-1"}, 2},
		{"a size of a log in a file", []string{"-audit", filepath.Join(t.TempDir(), "audit.jsonl"), "-audit-size", "10"}, 2},
		{"a missing log to check", []string{"-verify-audit", filepath.Join(t.TempDir(), "none")}, 2},
		{"an address in use", []string{"-http", taken.Addr().String()}, 2},
		{"an invalid address", []string{"-http", "nowhere"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			assert.Equal(t, tt.code, emails(t).Main(tt.args, &stdout, &stderr))
			said, silent := &stderr, &stdout
			if tt.code == 0 { // the help
				said, silent = silent, said
			}
			assert.NotEmpty(t, said.String())
			assert.Empty(t, silent.String())
		})
	}
}

func TestHandler_ServesOnlyItsPathAndBoundedBodies(t *testing.T) {
	t.Parallel()
	handler, g, err := emails(t).Handler(adapter.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	tests := []struct {
		name, path string
		size       int
		want       int
	}{
		{"a body that is too large", "/mcp", 5 << 20, http.StatusRequestEntityTooLarge},
		{"another path", "/", 2, http.StatusNotFound},
		{"a path below", "/mcp/x", 2, http.StatusNotFound},
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

func TestHandler_ReportsWhyItCannotServe(t *testing.T) {
	t.Parallel()
	s := emails(t)
	_, _, err := s.Handler(adapter.Config{}, guard.WithAudit(nil))
	require.Error(t, err)
	s.Tools = func() ([]*contract.Tool, error) {
		tools, err := new(mail.Post).Tools()
		return append(tools, tools[0]), err
	}
	_, _, err = s.Handler(adapter.Config{})
	require.NotEmpty(t, contract.DeclarationErrors(err), "two tools have the same name")
	broken := errors.New("no tools")
	s.Tools = func() ([]*contract.Tool, error) { return nil, broken }
	_, _, err = s.Handler(adapter.Config{})
	require.ErrorIs(t, err, broken)
}
