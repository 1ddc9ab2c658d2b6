package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/agentloop/loop"
	"github.com/toolcontract/toolcontract/trust"
)

// A step is what became of one call.
type step struct {
	Step      int             `json:"step"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Status    string          `json:"status"`
	Code      string          `json:"code"`
	Class     string          `json:"class"`
}

// A transcript prints a run: as text while it happens, or at its end as JSON.
// One goroutine uses it.
type transcript struct {
	out   *bufio.Writer
	json  bool
	steps []step
}

func newTranscript(out io.Writer, asJSON bool) *transcript {
	return &transcript{out: bufio.NewWriter(out), json: asJSON, steps: []step{}}
}

// close prints the steps if the output is JSON.
func (t *transcript) close() error {
	if t.json {
		encoder := json.NewEncoder(t.out)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(t.steps); err != nil {
			return err
		}
	}
	return t.out.Flush()
}

// print prints the text of a speaker.
func (t *transcript) print(speaker, text string) {
	if t.json {
		return
	}
	text, _ = trust.Sanitize(text) // a model can write control sequences for the terminal
	for i, l := range strings.Split(strings.TrimSpace(text), "\n") {
		if i > 0 {
			speaker = ""
		}
		fmt.Fprintln(t.out, strings.TrimRight(fmt.Sprintf("%-8s %s", speaker, l), " "))
	}
	_ = t.out.Flush() // close reports the error
}

// event prints an event of the run.
func (t *transcript) event(e loop.Event) {
	switch e.Kind {
	case loop.EventReplied:
		if e.Text != "" {
			t.print("model", e.Text)
		}
	case loop.EventDecided:
		t.print("host", fmt.Sprintf("%s %s: %s. %s", e.Call.Tool, e.Call.Arguments, e.Decision.Handling, e.Decision.Reason))
	case loop.EventObserved:
		t.print("server", e.Observed.Text)
		t.add(e.Call, e.Observed.Status, e.Observed.Code, e.Observed.Class)
	}
}

// ended prints why a run ended without an answer, and returns err.
func (t *transcript) ended(err error) error {
	if err != nil {
		t.print("", "The run ends: "+err.Error())
	}
	return err
}

// add adds a step.
func (t *transcript) add(call loop.ToolCall, status contract.Status, code string, class contract.Class) {
	added := step{
		Step: len(t.steps) + 1, Tool: call.Tool, Arguments: json.RawMessage(call.Arguments), Status: status.String(), Code: code,
	}
	if !json.Valid(added.Arguments) {
		added.Arguments, _ = json.Marshal(call.Arguments) //nolint:errchkjson // a string can be written
	}
	if class != 0 {
		added.Class = class.String()
	}
	t.steps = append(t.steps, added)
}
