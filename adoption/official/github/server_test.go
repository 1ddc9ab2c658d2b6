package github_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	rest "github.com/google/go-github/v89/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adoption/official/github"
	"github.com/toolcontract/toolcontract/adoption/official/internal/drive"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/risk"
)

// hub stands in for GitHub. It has one repository with one branch and an issue.
type hub struct{ comments, deletions atomic.Int64 }

func (h *hub) client(t *testing.T) *rest.Client {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /repos/acme/shop/branches", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"name":"main","commit":{"sha":"0000000000000000000000000000000000000000"}}]`))
	})
	mux.HandleFunc("GET /repos/acme/shop/issues/7", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"number":7,"title":"The lamp flickers","state":"open","user":{"login":"ben"}}`))
	})
	mux.HandleFunc("POST /repos/acme/shop/issues/7/comments", func(w http.ResponseWriter, _ *http.Request) {
		h.comments.Add(1)
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"id":1,"html_url":"https://github.example/acme/shop/issues/7#1"}`))
	})
	mux.HandleFunc("DELETE /repos/acme/shop", func(w http.ResponseWriter, _ *http.Request) {
		h.deletions.Add(1)
		w.WriteHeader(http.StatusNoContent)
	})
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	base := web.URL + "/"
	c, err := rest.NewClient(rest.WithHTTPClient(web.Client()), rest.WithURLs(&base, &base))
	require.NoError(t, err)
	return c
}

func start(t *testing.T, permissions ...string) (*drive.Client, *hub, *drive.Log) {
	t.Helper()
	h := &hub{}
	g, log := drive.Guard(t, permissions...)
	s, _, err := github.New(g, h.client(t))
	require.NoError(t, err)
	return drive.Connect(t, s), h, log
}

var (
	comment = map[string]any{"owner": "acme", "repo": "shop", "issue_number": 7, "body": "Shipped."}
	shop    = map[string]any{"owner": "acme", "repo": "shop"}
)

func TestTools_AreGuessedOnlyIfTheUpstreamMarksThemAsReads(t *testing.T) {
	g, _ := drive.Guard(t)
	s, report, err := github.New(g, new(hub).client(t))
	require.NoError(t, err)
	assert.Len(t, report.Tools, 117)
	for _, tool := range report.Tools {
		require.NoError(t, tool.Err, tool.Name)
		if tool.Contract.Document().Effect != risk.ReadOnly {
			assert.Empty(t, tool.Guesses, tool.Name)
		}
	}
	contracttest.Check(t, gosdk.ToolsOf(s)...)
}

func TestList_HasTheToolsThatTheCallerMayUse(t *testing.T) {
	readers, _, _ := start(t, "github:read")
	owners, _, _ := start(t, "github:read", "github:write", "github:delete")
	assert.NotContains(t, readers.Tools(), "merge_pull_request")
	assert.NotContains(t, readers.Tools(), "delete_repository")
	assert.Len(t, owners.Tools(), 117)
}

func TestRead_Runs(t *testing.T) {
	c, _, log := start(t, "github:read")
	text, outcome := c.Call("list_branches", shop)
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.Contains(t, text, "main")

	text, outcome = c.Call("issue_read", map[string]any{"method": "get", "owner": "acme", "repo": "shop", "issue_number": 7})
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.Contains(t, text, "The lamp flickers")

	ends := log.Events(audit.Terminal)
	require.Len(t, ends, 2)
	assert.Equal(t, "alice", ends[0].Principal)
}

func TestCall_WithBadArgumentsIsRefused(t *testing.T) {
	c, _, _ := start(t, "github:read")
	_, outcome := c.Call("list_branches", map[string]any{"owner": "acme"})
	assert.Equal(t, contract.CodeInvalidInput, outcome.Code)
}

func TestComment_IsPublishedOnceAndOnlyWithConsent(t *testing.T) {
	c, h, log := start(t, "github:read", "github:write")
	_, outcome := c.CallKeyed("comment-1", "add_issue_comment", comment)
	assert.Equal(t, contract.StatusOK, outcome.Status)
	_, outcome = c.CallKeyed("comment-1", "add_issue_comment", comment)
	assert.Equal(t, contract.StatusReplayed, outcome.Status)
	assert.Equal(t, 1, c.Asked())
	assert.EqualValues(t, 1, h.comments.Load())

	c.Answers("decline", nil)
	_, outcome = c.CallKeyed("comment-2", "add_issue_comment", comment)
	assert.Equal(t, contract.CodeConfirmationDeclined, outcome.Code)
	assert.EqualValues(t, 1, h.comments.Load())
	assert.Len(t, log.Events(audit.Intent), 1)
	assert.Len(t, log.Events(audit.Asked), 2)
}

func TestComment_NeedsThePermission(t *testing.T) {
	c, h, _ := start(t, "github:read")
	_, outcome := c.Call("add_issue_comment", comment)
	assert.Equal(t, contract.CodePermissionDenied, outcome.Code)
	assert.Zero(t, h.comments.Load())
}

func TestDeleteRepository_RunsOnlyIfAPersonTypesItsName(t *testing.T) {
	for typed, code := range map[any]string{
		"acme/shop": "", "acme/shop2": contract.CodeConfirmationDeclined, true: contract.CodeConfirmationDeclined,
	} {
		c, h, _ := start(t, "github:read", "github:write", "github:delete")
		c.Answers("accept", map[string]any{"word": typed})
		_, outcome := c.CallKeyed("delete-1", "delete_repository", shop)
		assert.Equal(t, code, outcome.Code, typed)
		assert.Equal(t, code == "", h.deletions.Load() == 1, typed)
	}
}

func TestDeleteRepository_NeedsThePermission(t *testing.T) {
	c, h, _ := start(t, "github:read", "github:write")
	_, outcome := c.Call("delete_repository", shop)
	assert.Equal(t, contract.CodePermissionDenied, outcome.Code)
	assert.Zero(t, h.deletions.Load())
}
