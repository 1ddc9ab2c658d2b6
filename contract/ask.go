package contract

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// The bounds of a question and of its answer.
const (
	maxAskBytes    = 4 << 10  // of a question to a person
	maxPromptBytes = 32 << 10 // of a prompt
	maxAnswerBytes = 32 << 10 // of a client's response
	maxTokens      = 4096
)

// Ask asks the person behind the client for input, in a form with the fields of
// T. It is for tools of [New] that declare it with [Builder.Asks]; a handler of
// an adapter's AddTool asks through the session of its SDK. The handler must
// have had no effect yet:
//
//	in, err := contract.Ask[Address](ctx, "Where should the parcel go?")
//	if err != nil {
//		return Out{}, err
//	}
//
// Each question ends the handler with an error that it must return, wrapped or
// not. Once the client has answered, the handler runs again from the start, with
// the same arguments, and Ask returns the answer. So does every Ask before it,
// as long as the handler asks the same questions in the same order, one at a
// time; a question with another text is asked again. Do what a handler should do
// once, such as a write, after its last question. An error that the handler does
// not return ends the call as internal_error.
//
// T is a struct. A form has texts, with the jsonschema keywords minLength,
// maxLength, enum and format (email, uri, date or date-time), numbers, with
// minimum and maximum, and booleans. Fields have titles, descriptions and
// defaults as arguments do, and are read just as strictly. A form cannot ask
// for a secret, and has no fields named confirm or word, because those are the
// guard's. The message is shown on one line of at most 4 KiB, after the name of
// the tool.
//
// An answer that doesn't fit T is asked for again, within the bound of
// [Builder.Asks]. The other errors wrap an [Error] with one of the guard's
// codes, and a handler can return them as they are: [CodeConfirmationDeclined]
// if the person declined, [CodeConfirmationRequired] if the client can't ask
// anyone, [CodeInvalidInput] if no answer fits, and [CodeInternalError] if the
// question itself is wrong. A handler that can do without the answer looks for
// the first two with [errors.As] before it goes on.
func Ask[T any](ctx context.Context, message string) (T, error) {
	var answer T
	f, problems := formOf(reflect.TypeFor[T]())
	if len(problems) > 0 {
		p := problems[0]
		return answer, unasked(CodeInternalError, "contract.Ask: "+p.Field+": "+p.Message+"; "+p.Remedy)
	}
	if strings.TrimSpace(message) == "" || len(message) > maxAskBytes {
		return answer, unasked(CodeInternalError, "contract.Ask: the message is empty or longer than 4 KiB; correct it")
	}
	err := dialogFrom(ctx).ask(&bound.Question{Text: message, Form: f.shown}, func(response []byte) error {
		content, err := accepted(response)
		if err != nil {
			return err
		}
		canonical, broken := (&argumentReader{schema: f.schema}).read(content, &bound.Arguments{})
		if len(broken) > 0 || read(strictjson.Codec{}, canonical, &answer) != nil {
			return errUnfit
		}
		return nil
	})
	return answer, err
}

// Sample returns a text that the client's model writes, of at most tokens
// tokens: 1 to 4096. It works as [Ask] does, with the same errors, and the two
// share the bound of [Builder.Asks]. The prompt has at most 32 KiB. Clients may
// show it to a person, who may decline. Treat the text like an argument: the
// caller's model wrote it.
func Sample(ctx context.Context, prompt string, tokens int) (string, error) {
	if strings.TrimSpace(prompt) == "" || len(prompt) > maxPromptBytes || tokens < 1 || tokens > maxTokens {
		return "", unasked(CodeInternalError,
			"contract.Sample: the prompt is empty or longer than 32 KiB, or the tokens are not from 1 to 4096; correct it")
	}
	var text string
	err := dialogFrom(ctx).ask(&bound.Question{Text: prompt, MaxTokens: tokens}, func(response []byte) (err error) {
		text, err = sampled(response)
		return err
	})
	return text, err
}

var errDeclined = unasked(CodeConfirmationDeclined, "the question of the tool was declined or not answered; "+
	"do not repeat the call, and ask the user what to do instead")

// accepted returns the content of an elicitation that a person accepted.
func accepted(response []byte) ([]byte, error) {
	tree, err := strictjson.Parse(response, strictjson.Limits{})
	if err != nil {
		return nil, errUnfit
	}
	members, _ := tree.(map[string]any)
	switch members["action"] {
	case "accept":
		return strictjson.Marshal(members["content"])
	case "decline", "cancel":
		return nil, errDeclined
	}
	return nil, errUnfit
}

// sampled returns the texts of a model's message. Its content is one block or,
// since 2025-11-25, a list.
func sampled(response []byte) (string, error) {
	var message struct {
		Action  string // only of a client that declined
		Content json.RawMessage
	}
	switch {
	case json.Unmarshal(response, &message) != nil:
		return "", errUnfit
	case message.Action == "decline" || message.Action == "cancel":
		return "", errDeclined
	}
	type block struct{ Type, Text string }
	blocks := make([]block, 1)
	if json.Unmarshal(message.Content, &blocks[0]) != nil && json.Unmarshal(message.Content, &blocks) != nil {
		return "", errUnfit
	}
	var text strings.Builder
	for _, b := range blocks {
		if b.Type != "text" {
			return "", errUnfit
		}
		text.WriteString(b.Text)
	}
	if text.Len() == 0 {
		return "", errUnfit
	}
	return text.String(), nil
}
