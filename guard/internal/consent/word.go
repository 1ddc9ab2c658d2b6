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

// maxWord bounds the word that a person types, in characters.
const maxWord = 64

var errWord = errors.New("guard: ConfirmTyping returned a word that a person cannot read and type: it needs 1 to 64 visible " +
	"characters on one line, and no address")

// confirmQuestion writes the question whether the call may happen, with the
// word that the person types, if the contract demands one.
func (r *round) confirmQuestion(ctx context.Context) (*people.Question, *answer.Refusal) {
	if !r.call.Doc.TypedConfirmation {
		return r.question(ctx)
	}
	word, err := r.call.Pipeline.Word(ctx)
	if word = typedWord(word); err == nil && !isTypable(word) {
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

// typedWord returns a word without blanks around it, and with the blank of the
// keyboard for any other, because formatters of numbers write blanks that no
// keyboard has.
func typedWord(s string) string {
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

// isTypable reports whether a person sees a word as it is, in every client, and
// can type it.
func isTypable(word string) bool {
	n := utf8.RuneCountInString(word)
	return n > 0 && n <= maxWord && text.Defuse(word) == word && text.Unlink(word) == word
}

// reader returns how to read the answer to the question of the call's state.
func (r *round) reader() func(json.RawMessage) reply {
	word := ""
	if s := r.session.State; s != nil {
		word = s.Word
	}
	return readerOf(word, r.call.Doc.TypedConfirmation)
}

// readerOf returns how to read the answer to a question. A typed confirmation
// without a word is never accepted.
func readerOf(word string, typed bool) func(json.RawMessage) reply {
	if typed {
		return readTyped(word)
	}
	return readForm
}
