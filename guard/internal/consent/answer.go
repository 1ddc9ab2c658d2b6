package consent

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// maxMalformed is how often a question is asked again after a malformed answer.
const maxMalformed = 2

// A reply is a client's answer to a question.
type reply int

const (
	noReply reply = iota
	malformed
	declined
	accepted
)

// readAnswer returns the action of an elicitation result, and its content.
func readAnswer(raw json.RawMessage) (reply, map[string]any) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return malformed, nil
	}
	answer, _ := tree.(map[string]any)
	content, _ := answer["content"].(map[string]any)
	switch answer["action"] {
	case "accept":
		return accepted, content
	case "decline", "cancel":
		return declined, content
	}
	return malformed, nil
}

// readForm reads the answer to the question whether a call may run. Only the
// action accept with the boolean true under [people.ConfirmKey] counts as
// accepted. Every other answer that follows the protocol counts as declined.
func readForm(raw json.RawMessage) reply {
	got, content := readAnswer(raw)
	if got == accepted && content[people.ConfirmKey] != true {
		return declined
	}
	return got
}

// readTyped returns a function that reads the answer to a question with a word
// to type. Only the action accept with exactly that word under
// [people.TypedKey] counts as accepted; spaces around it do not matter. Another
// word counts as malformed, because people mistype. No word counts as declined,
// because that is how a client answers that accepts every form.
func readTyped(word string) func(json.RawMessage) reply {
	return func(raw json.RawMessage) reply {
		got, content := readAnswer(raw)
		if got != accepted {
			return got
		}
		typed, _ := content[people.TypedKey].(string)
		switch typed = normalizeWord(typed); typed {
		case "":
			return declined
		case word:
			return accepted
		}
		return malformed
	}
}

// readOpened reads the answer to the question whether an address may be opened.
// The answer's content is ignored.
func readOpened(raw json.RawMessage) reply {
	got, _ := readAnswer(raw)
	return got
}

// replyUnder returns the reply under a key, or noReply if there is none.
func replyUnder(answers map[string]json.RawMessage, key string, read func(json.RawMessage) reply) reply {
	raw, ok := answers[key]
	if !ok {
		return noReply
	}
	return read(raw)
}
