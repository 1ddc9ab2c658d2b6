package verify_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
)

// A memory is the state of the tools that these tests verify.
type memory struct {
	mu    sync.Mutex
	notes []string
}

func (n *memory) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notes = append(n.notes, text)
}

func (n *memory) state() any {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.notes
}

// taggedIn declares with tags what reading and native declare with methods.
type taggedIn struct {
	_    contract.Tags `name:"notes.find" description:"Finds a note." version:"1.0.0" effect:"read-only" trust:"trusted"`
	Text string        `json:"text"`
}

func TestTool_NamesTheClauseInTheWordsOfItsAuthor(t *testing.T) {
	t.Parallel()
	var book memory
	tagged, err := contract.New("", func(_ context.Context, in taggedIn) (noteOut, error) {
		book.add(in.Text)
		return noteOut{}, nil
	}).Build()
	require.NoError(t, err)
	spoken := build(t, contract.New("notes.find", func(_ context.Context, in noteIn) (noteOut, error) {
		book.add(in.Text)
		return noteOut{}, nil
	}).Description("Finds a note.").Version("1.0.0").Effect(risk.ReadOnly))[0]
	for tool, clause := range map[*contract.Tool]string{tagged: `effect:"read-only"`, spoken: "Effect(risk.ReadOnly)"} {
		r := &failtest.T{TB: t}
		verify.Tool(r, tool, verify.WithState(book.state), verify.Case{Name: "tea", Input: map[string]any{"text": "tea"}})
		require.Len(t, r.Errors, 1)
		for _, part := range []string{"notes.find", "[readonly.effect]", clause, `in "tea"`, `added "tea"`, "WithAllowance"} {
			assert.Contains(t, r.Errors[0], part)
		}
	}
}

// Most tests need just one line per tool.
func TestTool_DrawsInputsAndPassesAnHonestTool(t *testing.T) {
	t.Parallel()
	verify.Tool(t, build(t, reading("notes.read").Failures())[0])
}

func TestTool_SeesFilesWithoutOptionsIfTheKernelIsAWitness(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.txt")
	tool := build(t, contract.New("notes.read", func(context.Context, noteIn) (noteOut, error) {
		return noteOut{}, os.WriteFile(path, nil, 0o600)
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly))[0]
	t.Run("it is no bookkeeping", func(t *testing.T) {
		v := verify.Observe(t, tool, verify.Case{Input: noteIn{}})
		if v.NoKernel != "" {
			assert.Equal(t, verify.Unknown, conclusion(v, "readonly.effect"), "without a witness nothing is shown")
			t.Skip(v.NoKernel)
		}
		require.Len(t, about(v, "readonly.effect"), 1)
		assert.Contains(t, about(v, "readonly.effect")[0].Observed, filepath.Base(path))
	})
	t.Run("it is allowed", func(t *testing.T) {
		v := verify.Observe(t, tool, verify.Case{Input: noteIn{}}, verify.WithAllowance(filepath.Dir(path), "It is a log."))
		if v.NoKernel != "" {
			t.Skip(v.NoKernel)
		}
		assert.Equal(t, verify.Consistent, conclusion(v, "readonly.effect"))
		assert.Contains(t, strings.Join(v.Notes, "\n"), "It is a log.")
	})
}

// inProcess observes a tool without the kernel.
func inProcess(t *testing.T, tool *contract.Tool, options ...verify.Option) verify.Observation {
	t.Helper()
	return verify.Observe(t, tool, append(options, verify.WithoutKernel())...)
}

func TestTool_WithoutAWitnessIsUnknown(t *testing.T) {
	t.Parallel()
	tool := build(t, reading("notes.read"))[0]
	v := inProcess(t, tool)
	assert.Equal(t, verify.Unknown, conclusion(v, "readonly.effect"))
	assert.Equal(t, verify.Unknown, conclusion(v, "reach.external"))
	assert.Equal(t, verify.Consistent, conclusion(v, "output.invalid"))
	assert.Equal(t, verify.Conclusion(""), conclusion(v, "dryrun.effect"), "the tool has no dry run")
	assert.NotEmpty(t, v.NoKernel)

	folder := inProcess(t, tool, verify.WithFolders(t.TempDir()))
	assert.Equal(t, verify.Consistent, conclusion(folder, "readonly.effect"))
	web := inProcess(t, tool, verify.WithTransport(new(verify.Transport)))
	assert.Equal(t, verify.Consistent, conclusion(web, "reach.external"))

	r := &failtest.T{TB: t}
	verify.Tool(r, tool)
	assert.Empty(t, r.Errors)
	assert.Contains(t, strings.Join(r.Logs, "\n"), "unknown [readonly.effect]")
	verify.Tool(r, tool, verify.WithRequired("readonly.effect"))
	assert.Len(t, r.Errors, 1)
	r.Errors = nil
	verify.Tool(r, tool, verify.WithRequired())
	assert.Len(t, r.Errors, 2)
}

func TestTool_FailsIfNoCaseReachesTheHandler(t *testing.T) {
	t.Parallel()
	tool := build(t, reading("notes.read").Authorize(func(context.Context, contract.Principal, noteIn) error {
		return errors.New("never")
	}))[0]
	r := &failtest.T{TB: t}
	verify.Tool(r, tool)
	require.Len(t, r.Errors, 1)
	assert.Contains(t, r.Errors[0], "unknown [handler.notReached]")
	assert.Contains(t, r.Errors[0], contract.CodePermissionDenied)
	v := inProcess(t, tool)
	assert.Empty(t, contradicted(v))
	assert.Zero(t, v.Runs)
	assert.False(t, v.Cases[0].Reached)
	assert.Equal(t, contract.CodePermissionDenied, v.Cases[0].Code)
}

func TestTool_MistakesInOptionsFail(t *testing.T) {
	t.Parallel()
	tool := build(t, reading("notes.read"))[0]
	for name, o := range map[string]verify.Option{
		"no cases drawn":           verify.WithDrawn(0),
		"nil set-up":               verify.WithSetup(nil),
		"nil fixture":              verify.WithFixture(nil),
		"nil state":                verify.WithState(nil),
		"nil log":                  verify.WithLog(nil),
		"nil transport":            verify.WithTransport(nil),
		"allowance without reason": verify.WithAllowance("/tmp", " "),
		"allowance of nothing":     verify.WithAllowance("", "why"),
		"acceptance of nothing":    verify.WithAccepted("no.rule", "why"),
		"acceptance unreasoned":    verify.WithAccepted("readonly.effect", ""),
		"stale acceptance":         verify.WithAccepted("readonly.effect", "It was once."),
		"requirement of nothing":   verify.WithRequired("no.rule"),
		"no time":                  verify.WithCallLimit(0),
	} {
		r := &failtest.T{TB: t}
		verify.Tool(r, tool, o)
		assert.Len(t, r.Errors, 1, name)
	}
	r := &failtest.T{TB: t}
	verify.Tool(r, nil)
	assert.Len(t, r.Errors, 1)
}

func TestTool_AcceptedContradictionsStayInTheReport(t *testing.T) {
	t.Parallel()
	var book memory
	tool := build(t, contract.New("notes.read", func(context.Context, noteIn) (noteOut, error) {
		book.add("")
		return noteOut{}, nil
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly))[0]
	state := verify.WithState(book.state)
	r := &failtest.T{TB: t}
	verify.Tool(r, tool, state, verify.WithAccepted("readonly.effect", "It counts reads."))
	assert.Empty(t, r.Errors)
	assert.Contains(t, strings.Join(r.Logs, "\n"), "(accepted: It counts reads.)")

	v := inProcess(t, tool, state, verify.WithAllowance("state *", "It counts reads."))
	assert.Equal(t, verify.Consistent, conclusion(v, "readonly.effect"))
}

func TestTool_ReportIsJSON(t *testing.T) {
	t.Parallel()
	v := inProcess(t, build(t, reading("notes.read"))[0], verify.WithDrawn(2))
	data, err := json.Marshal(v)
	require.NoError(t, err)
	var again verify.Observation
	require.NoError(t, json.Unmarshal(data, &again))
	assert.Equal(t, v.Judgements, again.Judgements)
	assert.Equal(t, v.String(), again.String())
	assert.Len(t, v.Cases, 2)
}

// More cases than the schema has samples are drawn too.
func TestTool_DrawsThatManyDifferentInputs(t *testing.T) {
	t.Parallel()
	const cases = 90
	v := inProcess(t, build(t, reading("notes.read"))[0], verify.WithDrawn(cases))
	assert.Len(t, v.Cases, cases)
	inputs := map[string]bool{}
	for _, c := range v.Cases {
		inputs[c.Input] = true
	}
	assert.Len(t, inputs, cases)

	type choice struct {
		Loud bool `json:"loud"`
	}
	few := base[choice, noteOut]("notes.few").Effect(risk.ReadOnly).Permissions("notes:read")
	assert.Len(t, inProcess(t, build(t, few)[0], verify.WithDrawn(cases)).Cases, 2)
}

// native returns a tool that declares that repeating a call changes nothing
// more.
func native(handler contract.Handler[noteIn, noteOut]) *contract.Builder[noteIn, noteOut] {
	return contract.New("notes.save",
		handler).Description("Saves.").Version("1.0.0").Effect(risk.LowRiskWrite).Permissions("notes:write").
		SideEffects(internalEffect()).Idempotency(contract.Idempotency{Mode: idempotency.Native})
}

func TestTool_AFileWithTheSameContentIsNoSecondEffect(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, tt := range []struct {
		name  string
		write func() error
		want  verify.Conclusion
	}{
		{"the same content", func() error { return os.WriteFile(filepath.Join(dir, "note"), []byte("tea"), 0o600) }, verify.Consistent},
		{"a new name", func() error {
			f, err := os.CreateTemp(dir, "note-*")
			return errors.Join(err, f.Close())
		}, verify.Contradicted},
		{"more content", func() error {
			f, err := os.OpenFile(filepath.Join(dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			_, err = f.WriteString("tea\n")
			return errors.Join(err, f.Close())
		}, verify.Contradicted},
		{"a temporary file and a rename", func() error {
			f, err := os.CreateTemp(dir, "unfinished-*")
			if err != nil {
				return err
			}
			return errors.Join(f.Close(), os.Rename(f.Name(), filepath.Join(dir, "whole")))
		}, verify.Consistent},
		{"a file that was removed before", func() error {
			if err := os.Remove(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
				return err
			}
			return nil
		}, verify.Consistent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := build(t, native(func(context.Context, noteIn) (noteOut, error) { return noteOut{}, tt.write() }))[0]
			v := verify.Observe(t, tool, verify.Case{Input: noteIn{}})
			if v.NoKernel != "" {
				t.Skip(v.NoKernel)
			}
			assert.Equal(t, tt.want, conclusion(v, "idempotent.secondEffect"), "%s", v)
		})
	}
}

func TestTool_VolatileMembersMayDiffer(t *testing.T) {
	t.Parallel()
	n := 0
	tool := build(t, native(func(context.Context, noteIn) (noteOut, error) {
		n++
		return noteOut{ID: strings.Repeat("x", n)}, nil
	}))[0]
	one := verify.Case{Input: noteIn{}}
	v := inProcess(t, tool, one)
	require.Equal(t, verify.Contradicted, conclusion(v, "idempotent.secondAnswer"))
	assert.Contains(t, about(v, "idempotent.secondAnswer")[0].Observed, "/id")
	v = inProcess(t, tool, one, verify.WithVolatile("/id"))
	assert.Equal(t, verify.Consistent, conclusion(v, "idempotent.secondAnswer"))
}

// A request with a method that RFC 9110 calls safe is not an effect.
func TestTool_JudgesRequestsByTheirMethod(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for method, want := range map[string]verify.Conclusion{
		http.MethodGet: verify.Consistent, http.MethodHead: verify.Consistent,
		http.MethodPost: verify.Contradicted, http.MethodPut: verify.Contradicted, http.MethodDelete: verify.Contradicted,
	} {
		web := new(verify.Transport)
		client := &http.Client{Transport: web}
		tool := build(t, contract.New("notes.read", func(ctx context.Context, _ noteIn) (noteOut, error) {
			req, err := http.NewRequestWithContext(ctx, method, server.URL, http.NoBody)
			if err != nil {
				return noteOut{}, err
			}
			res, err := client.Do(req)
			if err != nil {
				return noteOut{}, err
			}
			return noteOut{}, res.Body.Close()
		}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly))[0]
		v := inProcess(t, tool, verify.WithTransport(web), verify.WithDrawn(1))
		assert.Equal(t, want, conclusion(v, "readonly.effect"), method)
		v = inProcess(t, tool, verify.WithTransport(web), verify.WithDrawn(1), verify.WithAllowance(method+" 127.0.0.1:*",
			"The API of the search is a POST."))
		assert.Equal(t, verify.Consistent, conclusion(v, "readonly.effect"), method)
	}
}

func TestTool_SetUpRunsBeforeEachTrialAndEndsWithIt(t *testing.T) {
	t.Parallel()
	open, most := 0, 0
	setup := func(t testing.TB) {
		open++
		most = max(most, open)
		t.Cleanup(func() { open-- })
	}
	ready := false
	tool := build(t, contract.New("notes.read", func(context.Context, noteIn) (noteOut, error) {
		assert.Equal(t, 2, open)
		assert.True(t, ready)
		return noteOut{}, nil
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly))[0]
	v := inProcess(t, tool, verify.WithSetup(setup), verify.Case{Setup: func(t testing.TB) { setup(t); ready = true }},
		verify.Case{Input: noteIn{}, Setup: setup})
	assert.Equal(t, "error", v.Cases[0].Status, "the first case has no arguments")
	assert.Equal(t, "ok", v.Cases[1].Status)
	assert.Zero(t, open)
	assert.Equal(t, 2, most)
}

func TestTool_AFixtureHasTheVerifiedContract(t *testing.T) {
	t.Parallel()
	other := build(t, writing("notes.write"))[0]
	r := &failtest.T{TB: t}
	assert.Panics(t, func() {
		verify.Tool(r, build(t, reading("notes.read"))[0], verify.WithFixture(func(testing.TB) verify.Fixture {
			return verify.Fixture{Tool: other}
		}))
	})
	assert.True(t, r.Failed())
}

var errBusy = contract.Retryable("busy", "The notebook is busy.")

func TestTool_AFailureWithoutAnEffectHasNone(t *testing.T) {
	t.Parallel()
	for failure, want := range map[*contract.Failure]verify.Conclusion{
		errBusy: verify.Contradicted, errBusy.EffectPossible(): verify.Conclusion(""),
	} {
		var book memory
		tool := build(t, contract.New("notes.add", func(context.Context, noteIn) (noteOut, error) {
			book.add("half")
			return noteOut{}, failure
		}).Description("Adds.").Version("1.0.0").Effect(risk.LowRiskWrite).Permissions("notes:write").SideEffects(
			internalEffect()).Failures(failure))[0]
		v := inProcess(t, tool, verify.WithState(book.state))
		assert.Equal(t, want, conclusion(v, "failure.effect"), "%s", v)
	}
}

func TestTool_APreviewAndItsCallEndAlike(t *testing.T) {
	t.Parallel()
	ok := func(context.Context, noteIn) (noteOut, error) { return noteOut{}, nil }
	fails := func(context.Context, noteIn) (noteOut, error) { return noteOut{}, errFull }
	for _, tt := range []struct {
		name          string
		preview, call contract.Handler[noteIn, noteOut]
		want          verify.Conclusion
	}{
		{"both succeed", ok, ok, verify.Consistent},
		{"only the preview succeeds", ok, fails, verify.Contradicted},
		{"only the call succeeds", fails, ok, verify.Contradicted},
		{"both fail", fails, fails, verify.Unknown},
	} {
		for _, required := range []bool{false, true} {
			clause := dryrun.By(func(ctx context.Context, in noteIn) (dryrun.Preview[noteOut], error) {
				out, err := tt.preview(ctx, in)
				return dryrun.Preview[noteOut]{Data: out}, err
			})
			if required {
				clause = clause.Required()
			}
			tool := build(t, contract.New("notes.add",
				tt.call).Description("Adds.").Version("1.0.0").Effect(risk.LowRiskWrite).Permissions("notes:write").
				SideEffects(internalEffect()).Failures(errFull).DryRun(clause))[0]
			want := tt.want
			if required && tt.name == "only the call succeeds" || required && tt.name == "both fail" {
				continue // no preview, no call
			}
			v := inProcess(t, tool)
			assert.Equal(t, want, conclusion(v, "dryrun.previewDiffers"), "%s\n%s", tt.name, v)
		}
	}
}

func TestTool_GivesUpAHandlerThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	tool := build(t, contract.New("notes.read", func(context.Context, noteIn) (noteOut, error) {
		<-end
		return noteOut{}, nil
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Timeout(10*time.Millisecond))[0]
	v := inProcess(t, tool, verify.WithDrawn(1))
	close(end)
	assert.Equal(t, verify.Contradicted, conclusion(v, "deadline.ignored"), "%s", v)
	assert.Equal(t, contract.CodeTimeout, v.Cases[0].Code)
}

// With a timeout, a handler runs on a goroutine of the guard, which can be
// older than the call.
func TestTool_SeesThatAGoroutineOfTheCallGoesOn(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	starting := func() *contract.Builder[noteIn, noteOut] {
		return contract.New("notes.read", func(ctx context.Context, _ noteIn) (noteOut, error) {
			pprof.Do(ctx, pprof.Labels("handler", "notes.read"), func(context.Context) { go func() { <-end }() })
			return noteOut{}, nil
		}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly)
	}
	deciding := reading("notes.read").Authorize(func(context.Context, contract.Principal, noteIn) error {
		go func() { <-end }()
		return nil
	})
	for name, tool := range map[string]*contract.Tool{
		"without a timeout": build(t, starting())[0], "with a timeout": build(t, starting().Timeout(time.Minute))[0],
		"authorize": build(t, deciding)[0],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := inProcess(t, tool, verify.WithFolders(t.TempDir()), verify.WithDrawn(1))
			assert.Equal(t, verify.Unknown, conclusion(v, "readonly.effect"), "%s", v)
		})
	}
}

// On a busy machine handlers are late, however short their timeouts.
func TestTool_WaitsForALateHandlerWithAShortTimeout(t *testing.T) {
	t.Parallel()
	tool := build(t, contract.New("notes.read", func(ctx context.Context, in noteIn) (noteOut, error) {
		if in.Text == "quick" {
			return noteOut{}, nil
		}
		<-ctx.Done()
		time.Sleep(200 * time.Millisecond)
		return noteOut{}, ctx.Err()
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Timeout(10*time.Millisecond))[0]
	v := inProcess(t, tool, verify.Case{Input: noteIn{Text: "slow"}}, verify.Case{Input: noteIn{Text: "quick"}})
	assert.Equal(t, contract.CodeTimeout, v.Cases[0].Code)
	assert.Equal(t, verify.Consistent, conclusion(v, "deadline.ignored"), "%s", v)
}

func TestTool_CallsAHandlerWhoseContextHasEnded(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	tool := build(t, contract.New("notes.read", func(ctx context.Context, _ noteIn) (noteOut, error) {
		if ctx.Err() != nil {
			<-end
		}
		return noteOut{}, nil
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Timeout(5*time.Second))[0]
	v := inProcess(t, tool, verify.WithDrawn(1))
	close(end)
	assert.Equal(t, "ok", v.Cases[0].Status)
	assert.Equal(t, verify.Contradicted, conclusion(v, "deadline.ignored"), "%s", v)
}

func TestClaims_AreDescribed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range verify.Claims() {
		assert.False(t, seen[r.ID], r.ID)
		seen[r.ID] = true
		assert.NotEmpty(t, r.Summary, r.ID)
		assert.NotEmpty(t, r.Remedy, r.ID)
	}
	for _, r := range contracttest.Demands() {
		assert.False(t, seen[r.ID], "%s is a rule of Inspect too", r.ID)
	}
	for _, rule := range ruleOf {
		assert.True(t, seen[rule], rule)
	}
}

// A handler without its backend fails before it does anything.
func TestTool_ConcludesNothingIfNoCallSucceeds(t *testing.T) {
	t.Parallel()
	broken := build(t, contract.New("notes.read", func(context.Context, noteIn) (noteOut, error) {
		return noteOut{}, fmt.Errorf("dial tcp 127.0.0.1:8200: connection refused: %w", errBusy)
	}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Failures(errBusy))[0]
	v := inProcess(t, broken, verify.WithDrawn(2))
	for _, j := range v.Judgements {
		assert.Equal(t, verify.Unknown, j.Conclusion, j.Rule)
	}
	lines := strings.Split(v.String(), "\n")
	last := lines[len(lines)-1]
	assert.Contains(t, last, "NOTHING WAS SHOWN")
	assert.Contains(t, last, "connection refused")

	text := failtest.Text(t, func(t testing.TB) { verify.Tool(t, broken) })
	assert.Contains(t, text, "unknown [handler.neverSucceeded]")
	r := &failtest.T{TB: t}
	verify.Tool(r, broken, verify.WithAccepted("handler.neverSucceeded", "The backend is not in this test."))
	assert.Empty(t, r.Errors)
	assert.Contains(t, strings.Join(r.Logs, "\n"), "NOTHING WAS SHOWN")
}
