package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/internal/redistest"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

// A host starts a process for each session.
func TestState_TwoProcessesShareTheOutcomesOfCalls(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a folder", "state.db")
	one := exampletest.Stdio(t, exampletest.Modern, "-state", file)
	first, outcome := exampletest.Call(t, one, "emails.create_draft", dinner)
	assert.Equal(t, contract.StatusOK, outcome.Status)
	for range 2 {
		again, outcome := exampletest.Call(t, exampletest.Stdio(t, exampletest.Modern, "-state", file), "emails.create_draft", dinner)
		assert.Equal(t, contract.StatusReplayed, outcome.Status)
		assert.Equal(t, first.StructuredContent, again.StructuredContent)
	}
	_, outcome = exampletest.Call(t, exampletest.Stdio(t, exampletest.Modern, "-state", file+"2"), "emails.create_draft", dinner)
	assert.Equal(t, contract.StatusOK, outcome.Status, "another file is another state")
}

// A user's session is lost with its server. In the next one, the user asks
// whether the draft was made.
func TestState_AKilledServersCallIsLookedUpInTheNextSession(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.db")
	killed := exampletest.Start(t, "-state", file)
	made, outcome := draft(t, exampletest.As(t, killed.URL, "alice", exampletest.Modern), dinner, "k1")
	killed.Kill(t)
	c := exampletest.As(t, exampletest.Serve(t, "-state", file), "alice", exampletest.Modern)
	arguments, err := json.Marshal(map[string]string{"operationId": outcome.OperationID})
	require.NoError(t, err)
	found, _ := exampletest.Call(t, c, "operations_get", string(arguments))
	assert.Equal(t, "succeeded", member(t, found, "state"))
	again, outcome := draft(t, c, dinner, "k1")
	assert.Equal(t, contract.StatusReplayed, outcome.Status)
	assert.Equal(t, made, again)
}

// A person decides about a question of an earlier process on the page of the
// next one.
func TestState_AnOpenQuestionMovesToTheNextProcess(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.db")
	var former string
	t.Run("the first session", func(t *testing.T) { // its process ends with it
		c, _ := approvalOverStdio(t, exampletest.Modern, "-state", file)
		former = sendPending(t, c)
	})
	c, printed := approvalOverStdio(t, exampletest.Modern, "-state", file)
	question := sendPending(t, c)
	assert.NotEqual(t, former, question)
	assert.Contains(t, approve(t, printed, question), "anna@example.com")
	sentOnce(t, c)
}

// approve approves a question of emails.send_external in a browser, and returns
// its page.
func approve(t *testing.T, printed addresses, question string) string {
	t.Helper()
	address := printed.next(t, "approve emails.send_external at ")
	require.Contains(t, address, question+"?")
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	visit(t, browser, address, "") // it signs the person in
	_, page := visit(t, browser, question, "")
	resp, err := browser.PostForm(question, url.Values{"token": {find(t, page)}, "decision": {"yes"}})
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return page
}

// restore puts a copy in the place of a state.
func restore(t *testing.T, from, file string) {
	t.Helper()
	for _, suffix := range []string{"", ".keys"} {
		data, err := os.ReadFile(from + suffix)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file+suffix, data, 0o600))
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(file + suffix) // an ended process leaves none
	}
}

func TestThreat163_AnApprovalOfBeforeARestoreDoesNotCountAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.db")
	saved := file + ".saved"
	t.Run("the call of the approval", func(t *testing.T) {
		c, printed := approvalOverStdio(t, exampletest.Modern, "-state", file)
		approve(t, printed, sendPending(t, c))
		_, outcome := exampletest.Call(t, c, "emails.create_draft", dinner)
		require.Equal(t, contract.StatusOK, outcome.Status)
		require.NoError(t, sqlitefile.Backup(t.Context(), file, saved))
		sentOnce(t, c)
	})
	for _, again := range []string{"restored", "restored again"} {
		t.Run(again, func(t *testing.T) {
			restore(t, saved, file)
			c, printed := approvalOverStdio(t, exampletest.Modern, "-state", file)
			_, outcome := exampletest.Call(t, c, "emails.create_draft", dinner)
			assert.Equal(t, contract.StatusReplayed, outcome.Status, "it had ended when the copy was made")
			approve(t, printed, sendPending(t, c))
			sentOnce(t, c)
		})
	}
}

func TestThreat163_ADryRunOfBeforeARestoreDoesNotCountAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state.db")
	var call string
	session := func(t *testing.T) *client.Client {
		return exampletest.StdioOf(t, exampletest.Command(t, "-state", file), exampletest.Modern,
			client.WithElicitationHandler(&agreeable{}))
	}
	t.Run("the call of the dry run", func(t *testing.T) {
		c := session(t)
		dryRun, _ := exampletest.Call(t, c, "emails.bulk_send", `{"templateId":"t","segmentId":"s","dryRun":true}`)
		var preview struct {
			DryRunToken string `json:"dryRunToken"`
		}
		require.NoError(t, json.Unmarshal([]byte(exampletest.Text(t, dryRun)), &preview))
		call = fmt.Sprintf(`{"templateId":"t","segmentId":"s","dryRunToken":%q}`, preview.DryRunToken)
		require.NoError(t, sqlitefile.Backup(t.Context(), file, file+".saved"))
		result, outcome := exampletest.Call(t, c, "emails.bulk_send", call)
		require.Equal(t, contract.StatusOK, outcome.Status, exampletest.Text(t, result))
	})
	restore(t, file+".saved", file)
	_, outcome := exampletest.Call(t, session(t), "emails.bulk_send", call)
	assert.Equal(t, contract.CodeDryRunRequired, outcome.Code)
}

// find returns the token of the form of a page.
func find(t *testing.T, page string) string {
	t.Helper()
	token := formToken.FindStringSubmatch(page)
	require.NotNil(t, token, page)
	return html.UnescapeString(token[1])
}

func TestState_BesideAStoreIsAnError(t *testing.T) {
	t.Parallel()
	cmd := exampletest.Command(t, "-state", filepath.Join(t.TempDir(), "state.db"), "-store", redistest.Start(t))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	assert.Error(t, cmd.Run())
	assert.Equal(t, 2, cmd.ProcessState.ExitCode())
	assert.Contains(t, stderr.String(), "-state")
}

func TestState_WithoutItTheServerNamesTheToolsThatNeedIt(t *testing.T) {
	t.Parallel()
	warnings := func(args ...string) map[string]string {
		var stderr strings.Builder
		cmd := exampletest.Command(t, append(args, "-approval", "-browser=false")...)
		cmd.Stderr = &stderr
		require.NoError(t, cmd.Run())
		found := map[string]string{}
		for line := range strings.Lines(stderr.String()) {
			for _, what := range []string{"a call that is repeated", "an approval", "a dry run"} {
				if strings.Contains(line, what) && strings.Contains(line, "-state") {
					_, found[what], _ = strings.Cut(line, "tools=")
				}
			}
		}
		return found
	}
	found := warnings()
	assert.Len(t, found, 3)
	assert.Contains(t, found["a call that is repeated"], "emails.create_draft")
	assert.Contains(t, found["an approval"], "emails.send_external")
	assert.Contains(t, found["a dry run"], "emails.bulk_send")
	assert.Empty(t, warnings("-state", filepath.Join(t.TempDir(), "state.db")))
}
