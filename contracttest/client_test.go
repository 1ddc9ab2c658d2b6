package contracttest_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// A notebook counts the notes that its tools keep.
type notebook struct{ kept int }

type noteTotal struct {
	Total int `json:"total"`
}

func (n *notebook) keep(ctx context.Context, in noteIn) (noteOut, error) {
	if in.Text == "" {
		return noteOut{}, errFull
	}
	n.kept++
	p, _ := guard.PrincipalFrom(ctx)
	return noteOut{ID: p.Subject + "/" + in.Text}, nil
}

func (n *notebook) preview(context.Context, noteIn) (dryrun.Preview[noteTotal], error) {
	return dryrun.Preview[noteTotal]{Data: noteTotal{n.kept + 1}}, nil
}

func (n *notebook) writing(name string) *noteBuilder {
	return write(contract.New(name, n.keep).Title("Note").Description("Keeps a note.").Version("1.0.0"))
}

var (
	anna = contract.Principal{Subject: "anna", Permissions: []string{"notes:write"}}
	ben  = contract.Principal{Subject: "ben"}
)

func tools(builders ...*noteBuilder) []*contract.Tool {
	var all []*contract.Tool
	for _, b := range builders {
		all = append(all, b.MustBuild())
	}
	return all
}

// dismiss closes the form without answering.
func dismiss(people.Question) contracttest.ElicitResult {
	return contracttest.ElicitResult{Action: "cancel"}
}

func TestClient_CallsAsItsPrincipal(t *testing.T) {
	t.Parallel()
	n := &notebook{}
	c := contracttest.NewClient(t, tools(n.writing("notes.keep"), reading("notes.read")))
	r := c.As(anna).Call("notes.keep", noteIn{Text: "hello"})
	assert.Equal(t, noteOut{ID: "anna/hello"}, contracttest.Output[noteOut](t, r))
	assert.Equal(t, contract.StatusOK, r.Outcome.Status)

	assert.Equal(t, contract.CodePermissionDenied, c.As(ben).Call("notes.keep", noteIn{Text: "hello"}).Outcome.Code)
	assert.Equal(t, contract.CodeUnauthenticated, c.Call("notes.keep", noteIn{Text: "hello"}).Outcome.Code,
		"the first client stays anonymous")
	assert.Equal(t, []string{"notes.keep"}, c.As(anna).Tools())
	assert.Empty(t, c.Tools())
	assert.Equal(t, 1, n.kept)

	failed := c.As(anna).Call("notes.keep", noteIn{})
	assert.True(t, failed.IsError)
	assert.Equal(t, "notebook_full", failed.Outcome.Code)
	assert.Equal(t, contract.ClassFatal, failed.Outcome.Class)
	invalid := c.As(anna).Call("notes.keep", json.RawMessage(`{"text":1}`))
	require.Len(t, invalid.Outcome.Violations, 1)
	assert.Equal(t, "/text", invalid.Outcome.Violations[0].Pointer)
}

func TestClient_TryHasTheErrorsOfCallsWithoutAResult(t *testing.T) {
	t.Parallel()
	c := contracttest.NewClient(t, tools((&notebook{}).writing("notes.keep")))
	_, err := c.Try("notes.burn", nil)
	require.ErrorIs(t, err, guard.ErrUnknownTool)
	_, err = c.Try("notes.keep", func() {})
	require.Error(t, err, "a function has no JSON form")
	require.NotErrorIs(t, err, guard.ErrUnknownTool)
}

func TestClient_AnswersQuestions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		person contracttest.Person
		status contract.Status
		code   string
		asked  int
	}{
		"no person": {nil, contract.StatusError, contract.CodeConfirmationRequired, 0},
		"approved":  {contracttest.Approve, contract.StatusOK, "", 1},
		"declined":  {contracttest.Decline, contract.StatusError, contract.CodeConfirmationDeclined, 1},
		"dismissed": {dismiss, contract.StatusError, contract.CodeConfirmationDeclined, 1},
		"accepted without a tick": {
			func(people.Question) contracttest.ElicitResult { return contracttest.ElicitResult{Action: "accept"} },
			contract.StatusError, contract.CodeConfirmationDeclined, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &notebook{}
			client := contracttest.NewClient(t, tools(n.writing("notes.keep").ConfirmAlways())).As(anna)
			r := client.Answering(c.person).Call("notes.keep", noteIn{Text: "hello"})
			assert.Equal(t, c.status, r.Outcome.Status)
			assert.Equal(t, c.code, r.Outcome.Code)
			require.Len(t, r.Questions, c.asked)
			for _, q := range r.Questions {
				assert.Equal(t, []people.Argument{{Name: "text", Text: `"hello"`}}, q.Arguments)
			}
			assert.Equal(t, c.status == contract.StatusOK, n.kept == 1)
		})
	}
}

func TestType_ConfirmsByTyping(t *testing.T) {
	t.Parallel()
	n := &notebook{}
	tool := n.writing("notes.burn").ConfirmAlways().ConfirmTyping(func(in noteIn) string { return in.Text })
	c := contracttest.NewClient(t, tools(tool)).As(anna)
	ticked := c.Answering(contracttest.Approve).Call("notes.burn", noteIn{Text: "first"})
	assert.Equal(t, contract.CodeConfirmationDeclined, ticked.Outcome.Code)
	typed := c.Answering(contracttest.Type("second")).Call("notes.burn", noteIn{Text: "second"})
	assert.Equal(t, contract.StatusOK, typed.Outcome.Status, typed.Text)
	assert.Equal(t, "second", typed.Questions[0].Word)
}

func TestClient_PreviewsAndCommits(t *testing.T) {
	t.Parallel()
	for name, required := range map[string]bool{"a supported dry run": false, "a required dry run": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &notebook{}
			clause := dryrun.By(n.preview)
			if required {
				clause = clause.Required()
			}
			c := contracttest.NewClient(t, tools(n.writing("notes.keep").DryRun(clause))).As(anna)
			if required {
				assert.Equal(t, contract.CodeDryRunRequired, c.Call("notes.keep", noteIn{Text: "hello"}).Outcome.Code)
			}
			p := c.Preview("notes.keep", noteIn{Text: "hello"})
			assert.Equal(t, 1, contracttest.Output[noteTotal](t, p).Total)
			assert.Zero(t, n.kept)
			r := c.Commit(p)
			assert.Equal(t, noteOut{ID: "anna/hello"}, contracttest.Output[noteOut](t, r))
			assert.Equal(t, 1, n.kept)
		})
	}
}

func TestClient_SendsKeys(t *testing.T) {
	t.Parallel()
	n := &notebook{}
	all := tools(n.writing("notes.keep").Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}))
	c := contracttest.NewClient(t, all).As(anna)
	first := c.WithKey("k1").Call("notes.keep", noteIn{Text: "hello"})
	require.Equal(t, contract.StatusOK, first.Outcome.Status)
	again := c.WithKey("k1").Call("notes.keep", noteIn{Text: "hello"})
	assert.Equal(t, contract.StatusReplayed, again.Outcome.Status, again.Text)
	assert.Equal(t, contract.CodeKeyConflict, c.WithKey("k1").Call("notes.keep", noteIn{Text: "other"}).Outcome.Code)
	assert.Equal(t, contract.StatusOK, c.WithKey("k2").Call("notes.keep", noteIn{Text: "hello"}).Outcome.Status)
	assert.Equal(t, 2, n.kept)
}

func TestClient_CloseReturnsTheEventsOfAllCalls(t *testing.T) {
	t.Parallel()
	c := contracttest.NewClient(t, tools((&notebook{}).writing("notes.keep")))
	c.As(anna).Call("notes.keep", noteIn{Text: "hello"})
	c.As(ben).Call("notes.keep", noteIn{Text: "hello"})
	events := c.Close()
	require.Len(t, events, 2)
	assert.Equal(t, []audit.Decision{audit.Allow, audit.Deny}, []audit.Decision{events[0].Decision, events[1].Decision})
	assert.Equal(t, contract.CodeUnavailable, c.As(anna).Call("notes.keep", noteIn{Text: "late"}).Outcome.Code)
}

// stopped stands in for a test. It records failures, and stops at the first
// fatal one.
type stopped struct {
	testing.TB
	failed bool
}

var errStopped = errors.New("the test ended")

func (s *stopped) Fatalf(string, ...any) {
	s.failed = true
	panic(errStopped)
}

func stops(t *testing.T, f func(testing.TB)) {
	t.Helper()
	s := &stopped{TB: t}
	defer func() {
		assert.True(t, s.failed, "the test goes on")
		if v := recover(); v != nil && v != any(errStopped) {
			panic(v)
		}
	}()
	f(s)
}

func TestClient_FailsTheTest(t *testing.T) {
	t.Parallel()
	all := tools((&notebook{}).writing("notes.keep"))
	for name, f := range map[string]func(testing.TB){
		"a tool that the guard refuses":  func(tb testing.TB) { contracttest.NewClient(tb, append(tools(), nil)) },
		"an option that it refuses":      func(tb testing.TB) { contracttest.NewClient(tb, all, nil) },
		"an unknown tool":                func(tb testing.TB) { contracttest.NewClient(tb, all).Call("notes.burn", nil) },
		"an input that is not an object": func(tb testing.TB) { contracttest.NewClient(tb, all).Preview("notes.keep", "hello") },
		"a commit of a call": func(tb testing.TB) {
			c := contracttest.NewClient(tb, all).As(anna)
			c.Commit(c.Call("notes.keep", noteIn{Text: "hello"}))
		},
		"the output of a failed call": func(tb testing.TB) {
			contracttest.Output[noteOut](tb, contracttest.NewClient(tb, all).Call("notes.keep", noteIn{Text: "hello"}))
		},
		"an output of another form": func(tb testing.TB) {
			contracttest.Output[[]string](tb, contracttest.NewClient(tb, all).As(anna).Call("notes.keep", noteIn{Text: "hello"}))
		},
		"the output of a text": func(tb testing.TB) {
			text := base[noteIn, string]("notes.show").Effect(risk.ReadOnly).MustBuild()
			contracttest.Output[string](tb, contracttest.NewClient(tb, []*contract.Tool{text}).Call("notes.show", noteIn{}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stops(t, f)
		})
	}
}

type noteDue struct {
	Due   sql.NullString `json:"due"`
	Heads []string       `json:"heads"`

	Wait  contract.Duration           `json:"wait"`
	Again sql.Null[contract.Duration] `json:"again"`
}

// Null types and nil slices look different in encoding/json.
func TestClient_EncodesAndDecodesTheTypesOfTheTool(t *testing.T) {
	t.Parallel()
	echo := contract.New("notes.echo", func(_ context.Context, in noteDue) (noteDue, error) { return in, nil }).
		Description("Returns its input.").Version("1.0.0").Effect(risk.ReadOnly).MustBuild()
	c := contracttest.NewClient(t, []*contract.Tool{echo})
	for _, in := range []noteDue{
		{Heads: []string{}},
		{sql.NullString{String: "tomorrow", Valid: true}, []string{"a"}, contract.Duration(time.Minute),
			sql.Null[contract.Duration]{V: contract.Duration(time.Hour), Valid: true}},
	} {
		assert.Equal(t, in, contracttest.Output[noteDue](t, c.Call("notes.echo", in)))
	}
	nothing := contracttest.Output[noteDue](t, c.Call("notes.echo", noteDue{}))
	assert.Empty(t, nothing.Heads, "a nil slice is an empty array")
}

func TestNewClient_TakesASinkOfTheTest(t *testing.T) {
	t.Parallel()
	var own audit.Recorder
	c := contracttest.NewClient(t, nil, guard.WithAudit(&own))
	_, err := c.Try("none", nil)
	require.ErrorIs(t, err, guard.ErrUnknownTool)
	assert.Empty(t, c.Close(), "the events are in the own sink")
	assert.NotEmpty(t, own.Events())
}
