package exampleserver_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
	"github.com/toolcontract/toolcontract/guard"
)

func TestBackend_ThatFailsIsReportedAndClosed(t *testing.T) {
	t.Parallel()
	broken := errors.New("the store burnt down")
	tests := []struct {
		name    string
		options []guard.Option
		opening error
		closing error
		stderr  string
		closed  int
	}{
		{"cannot be opened", nil, broken, nil, "emails: the store burnt down\n", 0},
		{"has an option that the guard refuses", []guard.Option{guard.WithAudit(nil)}, nil, nil, "guard: WithAudit", 1},
		{"is refused and cannot be closed", []guard.Option{guard.WithAudit(nil)}, nil, broken, "the store burnt down", 1},
	}
	for _, tt := range tests {
		for _, transport := range []string{"stdio", "http"} {
			t.Run(tt.name+"/"+transport, func(t *testing.T) {
				t.Parallel()
				closed := 0
				s := emails(t)
				s.OpenBackend = func() (exampleserver.Backend, error) {
					return exampleserver.Backend{Options: tt.options, Close: func() error { closed++; return tt.closing }}, tt.opening
				}
				var args []string
				if transport == "http" {
					args = []string{"-http", "127.0.0.1:0"}
				}
				var stdout, stderr bytes.Buffer
				assert.Equal(t, 2, s.Main(args, &stdout, &stderr))
				assert.Contains(t, stderr.String(), tt.stderr)
				assert.Equal(t, tt.closed, closed)
				assert.Empty(t, stdout.String())
			})
		}
	}
}

func TestBackend_StaysClosedForHelpAndLogChecks(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-h", "-verify-audit nowhere", "-nonsense"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			s := emails(t)
			s.OpenBackend = func() (exampleserver.Backend, error) {
				t.Error("it was opened")
				return exampleserver.Backend{}, nil
			}
			var output bytes.Buffer
			s.Main(strings.Fields(args), &output, &output)
			assert.NotEmpty(t, output.String())
		})
	}
}
