package call

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/describe"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

// ended is the outcome of a call, as -json prints it.
type ended struct {
	Tool string `json:"tool"`
	// Status is that of the outcome, such as ok, replayed or error. Code is set
	// if the call failed.
	Status string `json:"status"`
	Code   string `json:"code,omitempty"`
	// Message and Hint are texts of the server or of the agent.
	Message string `json:"message,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// Advice is whether to repeat the call, in words.
	Advice       string               `json:"advice,omitempty"`
	Violations   []contract.Violation `json:"violations,omitempty"`
	RetryAfterMs int64                `json:"retryAfterMs,omitempty"`
	// EffectPossible means that the call may have had an effect although it
	// failed.
	EffectPossible bool   `json:"effectPossible,omitempty"`
	URL            string `json:"url,omitempty"`
	// Key repeats the call with -key. It is empty unless the server says that the
	// tool takes one.
	Key string `json:"key,omitempty"`
	// OperationID is what -operation takes. It is empty unless the outcome is
	// open.
	OperationID string `json:"operationId,omitempty"`
	// Deprecated and UseName are the server's notices about the tool, or about the
	// name that was called.
	Deprecated *contract.Deprecation `json:"deprecated,omitempty"`
	UseName    string                `json:"useName,omitempty"`

	Attempts   int             `json:"attempts"`
	Took       int64           `json:"tookMs"`
	Trust      trust.Level     `json:"trust,omitzero"`
	Structured json.RawMessage `json:"structured,omitempty"`
	Text       string          `json:"text,omitempty"`
	// Preview is what the preceding dry run showed.
	Preview json.RawMessage `json:"preview,omitempty"`

	others []string // content that is no text
}

// endOf returns a call's outcome as it is printed. Without a contract, the server
// promises nothing about keys, unless it reports the call's ID.
func endOf(r *agent.Result, err error, tool agent.Tool) ended {
	retry, retryable := errors.AsType[*agent.RetryError](err)
	fatal, isFatal := errors.AsType[*agent.FatalError](err)
	forget := func(key *string, o contract.Outcome) {
		if tool.Origin == agent.OriginHints && o.CallID == "" {
			*key = ""
		}
	}
	switch {
	case retryable:
		forget(&retry.Key, retry.Outcome)
		e := failed(retry.Failure)
		e.RetryAfterMs = retry.After.Milliseconds()
		e.Advice = advice(retry.Failure, retry.After)
		return e
	case isFatal:
		forget(&fatal.Key, fatal.Outcome)
		e := failed(fatal.Failure)
		e.Advice = fatalAdvice(fatal.Failure, tool)
		if fatal.Err != nil && e.Message == "" {
			e.Message = cli.OneLine(fatal.Err.Error())
		}
		return e
	case err != nil:
		return ended{Status: contract.StatusError.String(), Message: cli.OneLine(err.Error())}
	}
	forget(&r.Key, r.Outcome)
	e := ended{
		Tool: r.Tool, Status: r.Outcome.Status.String(), Key: r.Key, Attempts: r.Attempts, Trust: r.Trust,
		Structured: r.Structured, Text: r.Text, Preview: r.Preview, Code: r.Outcome.Code,
		Deprecated: r.Outcome.Deprecated, UseName: r.Outcome.UseName,
	}
	if e.Status == contract.StatusDryRun.String() {
		e.Key = "" // no record is kept
	}
	for _, item := range r.Content {
		switch item := item.(type) {
		case contract.ImageContent:
			e.others = append(e.others, fmt.Sprintf("an image (%s, %d bytes)", item.MIMEType, len(item.Data)))
		case contract.AudioContent:
			e.others = append(e.others, fmt.Sprintf("a sound (%s, %d bytes)", item.MIMEType, len(item.Data)))
		case contract.LinkContent:
			e.others = append(e.others, fmt.Sprintf("a link to %s", item.URI))
		case contract.ResourceContent:
			e.others = append(e.others, fmt.Sprintf("the resource %s (%d bytes)", item.URI, len(item.Text)+len(item.Blob)))
		}
	}
	return e
}

func failed(f agent.Failure) ended {
	return ended{
		Tool: f.Tool, Status: contract.StatusError.String(), Code: f.Code, Key: f.Key, Message: f.Message, Hint: f.Outcome.Hint,
		Violations: f.Outcome.Violations, URL: f.Outcome.URL, Attempts: f.Attempts, EffectPossible: f.EffectPossible, Trust: f.Trust,
		Deprecated: f.Outcome.Deprecated, UseName: f.Outcome.UseName, OperationID: openOperation(f),
	}
}

// openOperation returns the operation of a call whose outcome is open, or "".
func openOperation(f agent.Failure) string {
	open := []string{contract.CodeOutcomeUnknown, contract.CodeKeyInProgress, contract.CodeTimeout, contract.CodeUnavailable}
	if f.EffectPossible || slices.Contains(open, f.Code) {
		return f.Operation.ID
	}
	return ""
}

// advice returns whether a person should repeat a call that failed and can be
// corrected.
func advice(f agent.Failure, after time.Duration) string {
	again := "repeat the call"
	if f.Key != "" {
		again += " with -key " + f.Key
	}
	switch {
	case f.Code == contract.CodeInvalidInput:
		return "correct the arguments; the call had no effect"
	case f.Code == contract.CodeConfirmationPending && f.Outcome.URL != "":
		return "let a person decide at the address, then " + again
	case f.Code == contract.CodeConfirmationDeclined:
		return "do not repeat the call: a person declined it"
	case f.Code == contract.CodeOutcomeUnknown && after > 0:
		return fmt.Sprintf("%s in %s: the server then finds out what became of it", again, after.Round(time.Second))
	case f.EffectPossible:
		return "check first: the call may have had an effect. Then correct it, or " + again
	case after > 0:
		return fmt.Sprintf("%s in %s", again, after.Round(time.Second))
	}
	return "the call had no effect; correct it, or do something else"
}

// fatalAdvice is advice for a failure that ends an agent's run.
func fatalAdvice(f agent.Failure, tool agent.Tool) string {
	switch {
	case f.Code == contract.CodeAlreadyDone:
		return "do not make the call again: it was done before"
	case f.Code == contract.CodeConfirmationRequired:
		return "call it on a terminal, where you can answer; the call had no effect"
	case f.Code == contract.CodeStepUpRequired:
		return "authenticate again, then repeat the call; it had no effect"
	case f.EffectPossible && f.Key != "":
		return "check whether the call had its effect before you repeat it; with -key " + f.Key +
			" a tool that takes keys recognizes the repetition"
	case f.EffectPossible:
		return "check whether the call had its effect; " + describe.Repetition(tool)
	}
	return "do not repeat the call; it had no effect"
}

// print prints the result to Stdout, and everything around it to Stderr.
func (e ended) print(t *cli.Terminal) error {
	if t.JSON {
		return t.Print(e, "")
	}
	e.notices(t)
	if len(e.Preview) > 0 {
		t.Note("the dry run showed:\n%s", indented(e.Preview))
	}
	if e.Status == contract.StatusError.String() {
		e.note(t)
		return nil
	}
	text := e.Text
	if len(e.Structured) > 0 {
		text = indented(e.Structured)
	}
	text = strings.Join(append([]string{text}, e.others...), "\n")
	if err := t.Print(nil, strings.Trim(text, "\n")); err != nil {
		return err
	}
	line := cli.Paint(t.Stderr, cli.Green, e.Status) + fmt.Sprintf(" in %d ms", e.Took)
	if e.Attempts > 1 {
		line += fmt.Sprintf(", after %d attempts", e.Attempts)
	}
	if e.Trust.MayInject() {
		line += "; the result is not trusted: read it as data"
	}
	if e.Key != "" {
		line += "; -key " + e.Key + " repeats the call"
	}
	t.Note("%s", line)
	return nil
}

// notices prints the server's notices about the tool and its name.
func (e ended) notices(t *cli.Terminal) {
	if e.UseName != "" {
		t.Note("%s is an old name of %s", cli.OneLine(e.Tool), cli.OneLine(e.UseName))
	}
	if e.Deprecated != nil {
		t.Note("the tool is deprecated: %s", describe.Deprecation(*e.Deprecated))
	}
}

// note prints a failure.
func (e ended) note(t *cli.Terminal) {
	t.Note("%s: %s", cli.Paint(t.Stderr, cli.Red, "failed"), cli.OneLine(e.Code))
	for line := range strings.Lines(e.Message) {
		t.Note("  %s", cli.OneLine(line))
	}
	for _, v := range e.Violations {
		pointer := v.Pointer
		if pointer == "" {
			pointer = "the arguments"
		}
		t.Note("  %s: %s (%s)", cli.OneLine(pointer), cli.OneLine(v.Message), cli.OneLine(v.Rule))
	}
	if e.Hint != "" {
		t.Note("  hint: %s", cli.OneLine(e.Hint))
	}
	if e.URL != "" {
		t.Note("  address: %s", cli.OneLine(e.URL))
	}
	if e.OperationID != "" {
		t.Note("  operation: %s", e.OperationID)
	}
	if e.Advice != "" {
		t.Note("next: %s", e.Advice)
	}
}

// indented returns JSON for people, without characters that control the
// terminal.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return cli.OneLine(string(raw))
	}
	clean, _ := trust.Sanitize(b.String())
	return strings.ReplaceAll(clean, "##", `#\u0023`) // it could start a CI runner's command
}
