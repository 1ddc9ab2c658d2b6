package program_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// A lister is an SDK that only lists the tools of a caller.
type lister struct {
	listed []string
	end    error // of serving over stdio
}

func (l *lister) list(g *guard.Guard, c adapter.Config, caller adapter.Caller) error {
	c.Server = "invoices"
	table, err := adapter.NewTable(g, c)
	if err != nil {
		return err
	}
	l.listed = nil
	isListed := table.Lists(adapter.WithCaller(context.Background(), caller))
	for _, e := range table.Entries() {
		if isListed(e) {
			l.listed = append(l.listed, e.Name())
		}
	}
	return nil
}

func (l *lister) NewHandler(_, _ string, g *guard.Guard, c adapter.Config) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := l.list(g, c, adapter.Caller{Header: r.Header}); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}), nil
}

func (l *lister) ServeStdio(_, _ string, g *guard.Guard, c adapter.Config, _ io.Reader, _ io.Writer) error {
	return errors.Join(l.list(g, c, adapter.Caller{Local: true}), l.end)
}

func TestMain_ReportsAnErrorAtTheEndOfServing(t *testing.T) {
	t.Parallel()
	s := invoices()
	s.SDK = &lister{end: errors.New("calls were left unanswered")}
	var stderr bytes.Buffer
	assert.Equal(t, 1, s.Main([]string{"-audit", filepath.Join(t.TempDir(), "audit.jsonl")}, io.Discard, &stderr))
	assert.Contains(t, stderr.String(), "left unanswered")
	assert.Contains(t, stderr.String(), "head of the audit log", "serving began")
}

func TestSDK_OfAnotherKindKnowsItsCallers(t *testing.T) {
	t.Parallel()
	stdio, web := &lister{}, &lister{}
	s := invoices()
	s.SDK = stdio
	assert.Equal(t, 0, s.Main(nil, io.Discard, io.Discard))
	all := []string{"invoices_hold", "invoices_send"}
	assert.Equal(t, all, stdio.listed, "the local user has all permissions")

	s = invoices()
	s.SDK = web
	h, _, err := s.Handler(adapter.Config{})
	require.NoError(t, err)
	for token, want := range map[string][]string{"agent": all, "": {"invoices_hold"}} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", http.NoBody)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		assert.Equal(t, http.StatusOK, w.Code, w.Body.String())
		assert.Equal(t, want, web.listed, "%q", token)
	}
}
