package agent

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/trust"
)

// Values of the protocol.
const (
	resultInputRequired = "input_required"
	fatalMark           = "[FATAL]"

	codeInvalidParams = -32602
	codeURLRequired   = -32042 // URLElicitationRequiredError
)

// A wireResult is the result of tools/call.
type wireResult struct {
	Content    []json.RawMessage          `json:"content"`
	Structured json.RawMessage            `json:"structuredContent"`
	IsError    bool                       `json:"isError"`
	Meta       map[string]json.RawMessage `json:"_meta"`
	ResultType string                     `json:"resultType"`
	Requests   map[string]inputRequest    `json:"inputRequests"`
	State      string                     `json:"requestState"`
}

// An inputRequest is one question of a server, in both versions of the
// protocol.
type inputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// asks reports whether the server needs answers before it can continue.
func (w *wireResult) asks() bool { return w.ResultType == resultInputRequired || w.Requests != nil }

// hasStructured reports whether there is structured content.
func (w *wireResult) hasStructured() bool {
	return len(w.Structured) > 0 && string(w.Structured) != "null"
}

// codePattern matches the codes of contracts. A code appears outside the marks
// that delimit a server's texts, so it must not be a sentence.
var codePattern = regexp.MustCompile(`^([a-z][a-z0-9]*(_[a-z0-9]+)*)?$`)

// maxCodeBytes limits a code, as contracts do.
const maxCodeBytes = 128

// outcome returns what the server reports about the call, or the zero value if
// it reports nothing. If the outcome can't be read, a failure is fatal, and a
// success has no outcome.
func (w *wireResult) outcome() contract.Outcome {
	var o contract.Outcome
	raw, reported := w.Meta[contract.MetaKeyOutcome]
	if !reported {
		return o
	}
	if readStrict(raw, &o) != nil || len(o.Code) > maxCodeBytes || !codePattern.MatchString(o.Code) {
		if w.IsError {
			return contract.Outcome{Status: contract.StatusError, Code: contract.CodeToolFatal, Class: contract.ClassFatal}
		}
		return contract.Outcome{}
	}
	if !operationPattern.MatchString(o.OperationID) {
		o.OperationID = ""
	}
	o.Hint = clean(o.Hint)
	for i, v := range o.Violations {
		o.Violations[i] = contract.Violation{Rule: clean(v.Rule), Pointer: clean(v.Pointer), Message: clean(v.Message)}
	}
	for i, p := range o.MissingPermissions {
		o.MissingPermissions[i] = clean(p)
	}
	return o
}

// maxDelay bounds the delay that a failure reports.
const maxDelay = 24 * time.Hour

// delayOf returns the delay that an outcome demands, or 0.
func delayOf(o contract.Outcome) time.Duration {
	switch ms := o.RetryAfterMs; {
	case ms <= 0:
		return 0
	case ms > maxDelay.Milliseconds():
		return maxDelay
	default:
		return time.Duration(ms) * time.Millisecond
	}
}

// A block is one element of the content of a result.
type block struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Data        []byte          `json:"data"`
	MIMEType    string          `json:"mimeType"`
	URI         string          `json:"uri"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Size        *int64          `json:"size"`
	Resource    *resource       `json:"resource"`
	Meta        map[string]any  `json:"_meta"`
	Annotations json.RawMessage `json:"annotations"`
}

type resource struct {
	URI      string         `json:"uri"`
	MIMEType string         `json:"mimeType"`
	Text     string         `json:"text"`
	Blob     []byte         `json:"blob"`
	Meta     map[string]any `json:"_meta"`
}

// content reads the content of a result. It also returns the text of the first
// item as it was sent, because only that can carry the mark of a fatal failure.
// ok is false if an item can't be read.
func (w *wireResult) content() (items []contract.Content, first string, ok bool) {
	for i, raw := range w.Content {
		var b block
		if readStrict(raw, &b) != nil {
			return nil, "", false
		}
		if i == 0 && b.Type == "text" {
			first = b.Text
		}
		if item := b.content(); item != nil {
			items = append(items, item)
		}
	}
	return items, first, true
}

// content returns an item of a known type with clean texts, or nil.
func (b block) content() contract.Content {
	annotations := b.annotations()
	switch b.Type {
	case "text":
		return contract.TextContent{Text: sanitize(b.Text), Annotations: annotations, Meta: b.Meta}
	case "image":
		return contract.ImageContent{Data: b.Data, MIMEType: clean(b.MIMEType), Annotations: annotations, Meta: b.Meta}
	case "audio":
		return contract.AudioContent{Data: b.Data, MIMEType: clean(b.MIMEType), Annotations: annotations, Meta: b.Meta}
	case "resource_link":
		return contract.LinkContent{
			URI: clean(b.URI), Name: clean(b.Name), Title: clean(b.Title), Description: clean(b.Description), MIMEType: clean(b.MIMEType),
			Size: b.Size, Annotations: annotations, Meta: b.Meta,
		}
	case "resource":
		if b.Resource == nil {
			return nil
		}
		r := b.Resource
		return contract.ResourceContent{
			URI: clean(r.URI), MIMEType: clean(r.MIMEType), Text: sanitize(r.Text), Blob: r.Blob,
			Annotations: annotations, Meta: b.Meta, ResourceMeta: r.Meta,
		}
	}
	return nil
}

func (b block) annotations() contract.Annotations {
	var a struct {
		Audience     []string  `json:"audience"`
		Priority     *float64  `json:"priority"`
		LastModified time.Time `json:"lastModified"`
	}
	if len(b.Annotations) == 0 || readStrict(b.Annotations, &a) != nil {
		return contract.Annotations{}
	}
	return contract.Annotations{Audience: a.Audience, Priority: a.Priority, LastModified: a.LastModified}
}

func sanitize(text string) string {
	text, _ = trust.Sanitize(text)
	return text
}

// textOf joins the texts of a result.
func textOf(items []contract.Content) string {
	var texts []string
	for _, item := range items {
		if text, ok := item.(contract.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// isFatal reports whether the text of a failure begins with the mark with which
// servers end a run. A mark anywhere else is only quoted.
func isFatal(first string) bool {
	rest, marked := strings.CutPrefix(first, fatalMark)
	return marked && (rest == "" || rest[0] == ' ')
}

// violations returns where a JSON text breaks a schema, after defaults are
// filled in. Nothing breaks a nil schema.
func violations(of *schema.Schema, text json.RawMessage) []contract.Violation {
	if of == nil {
		return nil
	}
	tree, err := strictjson.Parse(text, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(text))})
	if err != nil {
		return []contract.Violation{{Rule: "schema.json", Message: "is not JSON of one meaning"}}
	}
	tree, _ = of.Fill(tree)
	var broken []contract.Violation
	for _, v := range of.Validate(tree) {
		broken = append(broken, contract.Violation{Rule: v.Rule, Pointer: v.Pointer, Message: v.Message})
	}
	return broken
}
