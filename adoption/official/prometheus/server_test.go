package prometheus_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adoption/official/internal/drive"
	"github.com/toolcontract/toolcontract/adoption/official/prometheus"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/gosdk"
)

// A fake stands in for Prometheus and knows one query.
type fake struct{ deleted []string }

func (f *fake) Query(query string) (string, error) {
	if query != "up" {
		return "", errors.New(`bad_data: invalid parameter "query": 1:4: parse error: unclosed left parenthesis`)
	}
	return "up 1", nil
}

func (f *fake) Get(endpoint string) (string, error) { return endpoint + " is fine", nil }

func (f *fake) Delete(matches []string) error {
	f.deleted = append(f.deleted, matches...)
	return nil
}

func start(t *testing.T, permissions ...string) (*drive.Client, *fake) {
	t.Helper()
	f := &fake{}
	g, _ := drive.Guard(t, permissions...)
	s, report, err := prometheus.New(g, f)
	require.NoError(t, err)
	assert.Len(t, report.Tools, 28)
	contracttest.Check(t, gosdk.ToolsOf(s)...)
	return drive.Connect(t, s), f
}

func TestQuery_ReturnsDelimitedData(t *testing.T) {
	c, _ := start(t, "metrics:read")
	text, outcome := c.Call("query", map[string]any{"query": "up"})
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.Contains(t, text, "up 1")
	assert.NotEqual(t, "up 1", text)
}

// An error result has what Prometheus says about a query, so a model can
// correct it.
func TestQuery_ThatDoesNotParseSaysWhere(t *testing.T) {
	c, _ := start(t, "metrics:read")
	text, outcome := c.Call("query", map[string]any{"query": "up("})
	assert.Equal(t, contract.ClassRetryable, outcome.Class)
	assert.Contains(t, text, "1:4: parse error")
}

func TestDelete_WithoutTimesSaysSo(t *testing.T) {
	c, f := start(t, "metrics:read", "metrics:admin")
	text, outcome := c.Call("delete_series", map[string]any{"matches": []string{"up"}})
	assert.Equal(t, contract.ClassRetryable, outcome.Class)
	assert.Contains(t, text, "both start_time and end_time are required")
	assert.Empty(t, f.deleted)

	c.Answers("decline", nil)
	_, outcome = c.Call("delete_series", map[string]any{"matches": []string{"up"}, "start_time": "1h", "end_time": "5m"})
	assert.Equal(t, contract.CodeConfirmationDeclined, outcome.Code)
	assert.Empty(t, f.deleted)
}

func TestList_HasTheToolsThatTheCallerMayUse(t *testing.T) {
	c, _ := start(t, "metrics:read")
	tools := c.Tools()
	assert.Len(t, tools, 23)
	assert.NotContains(t, tools, "delete_series")
}
