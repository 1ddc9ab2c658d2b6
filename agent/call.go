package agent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A call is one logical call, with all the requests it takes. One goroutine
// uses it, except for the question counters.
type call struct {
	callConfig

	agent *Agent
	ctx   context.Context
	name  string
	tool  Tool

	arguments json.RawMessage // as the person sees them
	members   map[string]json.RawMessage
	dry       bool // the call is a dry run

	token   string          // of the dry run
	preview json.RawMessage // what the dry run shows
	agreed  bool            // the person agreed before anything was sent

	responses map[string]json.RawMessage // for the next request
	state     string                     // for the next request

	attempts, rounds int
	visited          bool // the person was sent to the page of the approval
	redone           bool // the dry run was repeated
	lost             bool // an answer was lost
	began            time.Time
	operation        Operation // the newest that the server has named
	lastFailure      error
	unwatched        bool // Options.Steps did not return in time

	questions atomic.Int64
	declined  atomic.Bool
}

// The limits of a call that no option changes.
const (
	maxRounds   = 10
	maxBusy     = 3 // rounds in which the server asks nothing
	shortestLag = 250 * time.Millisecond
	longestLag  = 5 * time.Second
	maxKeyBytes = 255
)

var (
	errArguments  = errors.New("the arguments are not a JSON object of one meaning")
	errAskedAgain = errors.New("the server asked again after an answer was lost")
	errKey        = errors.New("the idempotency key is not 1 to 255 printable ASCII characters")
)

// prepare finds the tool and reads the arguments. It sends nothing.
func (c *call) prepare(arguments any) error {
	tool, known := c.agent.Tool(c.name)
	if c.tool = tool; !known {
		c.tool = Tool{Name: c.name}
		if len(c.agent.Tools()) == 0 {
			return c.retry(CodeUnknownTool,
				"the server lists no tools for this caller; check the credentials and permissions of the caller")
		}
		return c.retry(CodeUnknownTool, "the server lists no tool of this name; use one of the listed names")
	}
	if c.tool.Refusal != "" {
		return c.fatal(CodeRefused, "the tool is not called: "+c.tool.Refusal, nil)
	}
	if c.definition != "" && c.definition != c.tool.digest {
		return c.toolChanged()
	}
	if err := c.readArguments(arguments); err != nil {
		return c.retry(contract.CodeInvalidInput, err.Error())
	}
	if limit := c.tool.Contract.MaxArgumentBytes; int64(len(c.arguments)) > limit {
		return c.retry(contract.CodeInvalidInput, fmt.Sprintf("the arguments are larger than %d bytes", limit))
	}
	c.dry = c.tool.hasDryRun() && string(c.members[memberDryRun]) == "true"
	if err := c.prepareKey(); err != nil {
		return err
	}
	return c.resume()
}

// The members of arguments and of previews that control a dry run.
const (
	memberDryRun      = "dryRun"
	memberDryRunToken = "dryRunToken"
)

func (c *call) readArguments(arguments any) error {
	switch raw, isRaw := arguments.(json.RawMessage); {
	case arguments == nil, isRaw && len(raw) == 0:
		c.arguments = json.RawMessage("{}")
	case isRaw:
		c.arguments = slices.Clone(raw) // the caller may reuse its buffer
	default:
		encoded, err := jsonv2.Marshal(arguments, strictjson.Options())
		if err != nil {
			return errArguments
		}
		c.arguments = encoded
	}
	if readStrict(c.arguments, &c.members) != nil || c.members == nil {
		return errArguments
	}
	return nil
}

func (c *call) prepareKey() error {
	if c.key == "" {
		if c.tool.takesKey() && !c.dry {
			c.key = rand.Text()
		}
		return nil
	}
	if len(c.key) > maxKeyBytes {
		return c.fatal(contract.CodeInvalidInput, errKey.Error(), errKey)
	}
	for i := range len(c.key) {
		if c.key[i] < ' ' || c.key[i] > '~' {
			return c.fatal(contract.CodeInvalidInput, errKey.Error(), errKey)
		}
	}
	return nil
}

// run makes the call, after a dry run and a question if it needs them.
func (c *call) run() (*Result, error) {
	if c.tool.needsDryRun() && !c.dry && c.token == "" && c.members[memberDryRunToken] == nil {
		if err := c.runDry(); err != nil {
			return nil, err
		}
	}
	if err := c.askFirst(); err != nil {
		return nil, err
	}
	return c.repeat()
}

// runDry makes the dry run that must precede the call.
func (c *call) runDry() error {
	dry := &call{agent: c.agent, ctx: c.ctx, name: c.name, tool: c.tool, arguments: c.arguments, dry: true}
	dry.members = withMember(c.members, memberDryRun, json.RawMessage("true"))
	r, err := dry.repeat()
	if err != nil {
		return err
	}
	if r.token == "" && c.tool.Contract.DryRun == dryrun.Required {
		if missing := missingPermissions(r.Structured); len(missing) > 0 {
			c.lastFailure = nil
			f := c.failure(contract.CodePermissionDenied, "the dry run shows that permissions are missing")
			f.Outcome = contract.Outcome{MissingPermissions: missing}
			return &FatalError{Failure: f}
		}
		return c.fatal(CodeContractBroken, "the dry run has no token for the call", nil)
	}
	c.token, c.preview = r.token, r.Structured
	return nil
}

// withMember returns a copy of members in which one of them is set.
func withMember(members map[string]json.RawMessage, name string, value json.RawMessage) map[string]json.RawMessage {
	all := map[string]json.RawMessage{name: value}
	for n, v := range members {
		if n != name {
			all[n] = v
		}
	}
	return all
}

func missingPermissions(preview json.RawMessage) []string {
	var p struct {
		Missing []string `json:"missingPermissions"`
	}
	if readStrict(preview, &p) != nil {
		return nil
	}
	for i, text := range p.Missing {
		p.Missing[i] = clean(text)
	}
	return p.Missing
}

// params returns the params of the next request.
func (c *call) params() client.CallParams {
	members := c.members
	if c.token != "" && !c.dry {
		token, _ := strictjson.MarshalValue(c.token) // encoding a string can't fail
		members = withMember(members, memberDryRunToken, token)
	}
	arguments, _ := strictjson.MarshalValue(members) // they were decoded from JSON
	p := client.CallParams{Name: c.name, Arguments: arguments, Responses: c.responses, State: c.state}
	if c.key != "" {
		p.Meta = map[string]any{contract.MetaKeyIdempotencyKey: c.key}
	}
	return p
}

// A verdict is what to do after the answer to a request.
type verdict struct {
	result *Result
	err    error
	// wait is the delay before the next request, if there is neither a result
	// nor an error. If uncounted is true, the last request doesn't count as an
	// attempt.
	wait      time.Duration
	uncounted bool
}

// repeat sends the call until it has a result or must not be sent again.
func (c *call) repeat() (*Result, error) {
	busy := 0
	for lag := c.agent.options.lag; ; lag = min(2*lag, longestLag) {
		if err := c.contextFailure(); err != nil {
			return nil, err
		}
		c.attempts++
		c.step(Step{Kind: StepSent, Attempt: c.attempts})
		v := c.judge(lag, &busy)
		if v.result != nil || v.err != nil {
			return v.result, v.err
		}
		if v.uncounted {
			c.attempts--
		}
		if err := c.pause(v.wait); err != nil {
			return nil, err
		}
	}
}

// judge sends one request and judges its answer.
func (c *call) judge(lag time.Duration, busy *int) verdict {
	raw, err := c.send(c.params())
	switch p := protocolError(err); {
	case p != nil && p.Code == codeURLRequired && c.visitAll(p.Data):
		return verdict{uncounted: true}
	case p != nil:
		return verdict{err: c.protocolFailure(p)}
	case err != nil:
		return c.judgeLost(err, lag)
	}
	w, failure := c.read(raw)
	switch {
	case failure != nil:
		return verdict{err: failure}
	case w.asks():
		return c.judgeQuestion(w, busy)
	}
	return c.judgeResult(w)
}

// pause waits before the next request. If the call's time runs out first, it
// waits only until then: a request sent at the last moment would have an
// unknown outcome.
func (c *call) pause(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	c.step(Step{Kind: StepWaiting, Attempt: c.attempts, Wait: d})
	if !sleep(c.ctx, d) {
		return c.contextFailure()
	}
	return nil
}

// sleep waits, but not beyond the end of the context. It reports whether the
// context goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, limited := ctx.Deadline(); limited && time.Until(end) <= d {
		<-ctx.Done()
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// visitAll opens the pages of a URLElicitationRequiredError. It reports whether
// the person went to all of them.
func (c *call) visitAll(data json.RawMessage) bool {
	var required struct {
		Elicitations []elicitation `json:"elicitations"`
	}
	if readStrict(data, &required) != nil || len(required.Elicitations) == 0 {
		return false
	}
	for _, e := range required.Elicitations {
		if c.visit(c.ctx, e.URL, e.Message).Action != Accept {
			return false
		}
	}
	return true
}

// judgeQuestion gets the answers that the server needs, for the next request.
func (c *call) judgeQuestion(w *wireResult, busy *int) verdict {
	if c.lost && !c.isDeduplicated() {
		// The server doesn't know the lost request, or doesn't show that it
		// does. A new answer could cause a second effect.
		return verdict{err: c.outcomeUnknown(errAskedAgain)}
	}
	if c.rounds++; c.rounds > maxRounds {
		return verdict{err: c.fatal(CodeContractBroken, "the server asks without end", nil)}
	}
	if len(w.Requests) == 0 {
		if *busy++; *busy > maxBusy {
			return verdict{err: c.giveUp(contract.CodeUnavailable, "the server is busy", 0)}
		}
		c.state, c.responses = w.State, nil
		return verdict{wait: longestLag, uncounted: true}
	}
	responses, err := c.fulfil(w.Requests)
	if err != nil {
		return verdict{err: c.fatal(CodeContractBroken, "the server asks for something that the agent cannot answer", err)}
	}
	c.state, c.responses = w.State, responses
	return verdict{uncounted: true}
}

// step fills in what all steps of the call share, and reports the step. A step
// without an attempt belongs to the latest one.
func (c *call) step(s Step) {
	if c.agent.options.Steps == nil || c.unwatched {
		return
	}
	s.Tool, s.Key = c.name, c.key
	if s.Attempt == 0 {
		s.Attempt = c.attempts
	}
	_, err := contain.Within(c.ctx, hostTime, c.agent.slots, func(context.Context) (struct{}, error) {
		c.agent.options.Steps(s)
		return struct{}{}, nil
	})
	c.unwatched = errors.Is(err, contain.ErrLate)
}
