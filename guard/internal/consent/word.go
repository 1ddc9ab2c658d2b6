package consent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/guard/people"
)

// maxWord is the maximum length, in characters, of a word to type.
const maxWord = 64

var errWord = errors.New("guard: ConfirmTyping returned a word that a person cannot read and type: it needs 1 to 64 visible " +
	"characters on one line, and no address")

// confirmQuestion writes the question whether the call may run. If the contract
// demands it, the question has a word that the person must type.
func (r *round) confirmQuestion(ctx context.Context) (*people.Question, *answer.Refusal) {
	if !r.call.Doc.TypedConfirmation {
		return r.question(ctx)
	}
	word, err := r.call.Pipeline.Word(ctx)
	if word = normalizeWord(word); err == nil && !isTypable(word) {
		err = errWord
	}
	if err != nil {
		return nil, answer.NewRefusal(contract.CodeInternalError, "").Because(err)
	}
	q, refused := r.question(ctx)
	if refused != nil {
		return nil, refused
	}
	q.Word = word
	q.Label = "Type " + word + " to run " + r.call.Doc.Name + " with exactly these arguments, once."
	q.Message = text.Unlink(messageOf(q))
	return q, nil
}

// normalizeWord trims a word and turns every kind of space into a plain one,
// because number formatters write spaces that no keyboard has.
func normalizeWord(s string) string {
	if !utf8.ValidString(s) {
		return s // Map would replace the bytes by visible characters
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, s))
}

// isTypable reports whether every client shows the word unchanged and a person
// can type it.
func isTypable(word string) bool {
	n := utf8.RuneCountInString(word)
	return n > 0 && n <= maxWord && text.Defuse(word) == word && text.Unlink(word) == word
}

// reader returns a function that reads the answer to the question in the call's
// state.
func (r *round) reader() func(json.RawMessage) reply {
	word := ""
	if s := r.session.State; s != nil {
		word = s.Word
	}
	return readerOf(word, r.call.Doc.TypedConfirmation)
}

// readerOf returns a function that reads the answer to a question. A typed
// confirmation without a word is never accepted.
func readerOf(word string, typed bool) func(json.RawMessage) reply {
	if typed {
		return readTyped(word)
	}
	return readForm
}
