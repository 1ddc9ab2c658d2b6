package zoo

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
)

func idempotent() []Entry {
	return []Entry{
		{
			// The ID is optional and assigned on each call, and the tool was
			// proposed with idempotentHint true.
			Name: "create_assigns_an_id", Rule: RuleIdempotentSecond, Source: "ganhammar/hass-mcp-server#56",
			Lie:    "An idempotent tool creates a note with a new id on each call.",
			Lying:  in(func(nb *notebook) Subject { return nb.saved(nb.create) }),
			Honest: in(func(nb *notebook) Subject { return nb.saved(nb.save) }),
		},
		{
			// Updating a calendar event mails all attendees by default, on each
			// call. MCP hosts repeat calls of idempotent tools.
			Name: "update_notifies", Rule: RuleIdempotentSecond, Source: "taylorwilsdon/google_workspace_mcp#707",
			Lie:    "An idempotent update notifies the readers on each call, also if nothing changes.",
			Lying:  in(func(nb *notebook) Subject { return nb.updated(nb.updateAndNotify) }),
			Honest: in(func(nb *notebook) Subject { return nb.updated(nb.updateAndNotifyOnce) }),
		},
		{
			Name: "update_appends", Rule: RuleIdempotentSecond,
			Lie:    "An idempotent update appends the text to the note.",
			Lying:  in(func(nb *notebook) Subject { return nb.updated(nb.extend) }),
			Honest: in(func(nb *notebook) Subject { return nb.updated(nb.update) }),
		},
		{
			// The second call fails because the project is gone. The hint was
			// true until this change.
			Name: "delete_fails_again", Rule: RuleIdempotentAnswer, Source: "neondatabase/mcp-server-neon#185",
			Lie:    "The second call of an idempotent deletion fails.",
			Lying:  in(func(nb *notebook) Subject { return nb.deleted(nb.deleteOnce) }),
			Honest: in(func(nb *notebook) Subject { return nb.deleted(nb.deleteAlways) }),
		},
		{
			// A tool that asks a model was published as idempotent. Each answer
			// differs.
			Name: "answer_differs", Rule: RuleIdempotentAnswer, Source: "chroma-core/chroma#7349",
			Lie:    "An idempotent tool answers each call differently.",
			Lying:  in(func(nb *notebook) Subject { return nb.asked(nb.askAnew) }),
			Honest: in(func(nb *notebook) Subject { return nb.asked(nb.ask) }),
		},
		{
			// Repeated calls were recognized for 24 hours, but idempotentHint
			// has no such limit. Here the result expires at once.
			Name: "managed_result_expires", Rule: RuleIdempotentRanTwice, Source: "vm0-ai/vm0#35539",
			Lie:    "The results of a managed tool expire at once, so that a repeated call runs again.",
			Lying:  in(func(nb *notebook) Subject { return nb.sent(nb.send, expired) }),
			Honest: in(func(nb *notebook) Subject { return nb.sent(nb.send, lasting) }),
		},
		{
			Name: "managed_retry_after_effect", Rule: RuleIdempotentRanTwice,
			Lie:    "A managed tool has its effect, and then fails with a failure that releases the key.",
			Lying:  in(func(nb *notebook) Subject { return nb.charged(errBusy) }),
			Honest: in(func(nb *notebook) Subject { return nb.charged(errBusy.EffectPossible()) }),
		},
	}
}

func (nb *notebook) saved(h contract.Handler[textInput, idOutput]) Subject {
	return nb.subject(writing("notes.save", "Saves a note with a text, if there is none.", h).Idempotency(native()),
		textInput{"Water the plants."})
}

func (nb *notebook) updated(h contract.Handler[noteInput, idOutput]) Subject {
	return nb.subject(writing("notes.update", "Sets the text of a note.", h).Idempotency(native()), noteInput{"n1", "Buy bread."})
}

func (nb *notebook) deleted(h contract.Handler[idInput, struct{}]) Subject {
	return nb.subject(writing("notes.delete", "Deletes a note.", h).Idempotency(native()).Failures(errNotFound), idInput{"n1"})
}

func (nb *notebook) asked(h contract.Handler[textInput, textOutput]) Subject {
	return nb.subject(writing("notes.ask", "Answers a question, and remembers it.", h).Idempotency(native()), textInput{"Milk?"})
}

func (nb *notebook) sent(h contract.Handler[noteInput, idOutput], until func(noteInput, idOutput) time.Time) Subject {
	return nb.subject(writing("notes.send", "Sends a note.", h).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"id"}}).ReplayUntil(until),
		noteInput{"m1", "Hello."})
}

func expired(noteInput, idOutput) time.Time { return time.Unix(1, 0) }

func lasting(noteInput, idOutput) time.Time { return time.Now().Add(time.Hour) }

// charged returns a tool that fails on each call, after its effect.
func (nb *notebook) charged(busy *contract.Failure) Subject {
	return nb.subject(writing("notes.charge", "Charges for a note.", nb.charge).Failures(busy).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"id"}}),
		idInput{"m1"})
}

func (nb *notebook) create(_ context.Context, in textInput) (idOutput, error) {
	return idOutput{nb.add(note{Anna.Tenant, in.Text})}, nil
}

// save is create without a second note of the same text.
func (nb *notebook) save(_ context.Context, in textInput) (idOutput, error) {
	id := "text of " + in.Text
	nb.set(id, note{Anna.Tenant, in.Text})
	return idOutput{id}, nil
}

func (nb *notebook) update(_ context.Context, in noteInput) (idOutput, error) {
	nb.set(in.ID, note{Anna.Tenant, in.Text})
	return idOutput{in.ID}, nil
}

func (nb *notebook) extend(_ context.Context, in noteInput) (idOutput, error) {
	n, _ := nb.get(in.ID)
	nb.set(in.ID, note{Anna.Tenant, n.Text + in.Text})
	return idOutput{in.ID}, nil
}

func (nb *notebook) updateAndNotify(ctx context.Context, in noteInput) (idOutput, error) {
	nb.request(ctx, http.MethodPost, nb.env.Service+"/notify")
	return nb.update(ctx, in)
}

func (nb *notebook) updateAndNotifyOnce(ctx context.Context, in noteInput) (idOutput, error) {
	if n, ok := nb.get(in.ID); !ok || n.Text != in.Text {
		nb.request(ctx, http.MethodPost, nb.env.Service+"/notify")
	}
	return nb.update(ctx, in)
}

func (nb *notebook) deleteOnce(_ context.Context, in idInput) (struct{}, error) {
	if !nb.remove(in.ID) {
		return struct{}{}, errNotFound.At("/id")
	}
	return struct{}{}, nil
}

func (nb *notebook) deleteAlways(_ context.Context, in idInput) (struct{}, error) {
	if !strings.HasPrefix(in.ID, "n") { // no note has such an ID
		return struct{}{}, errNotFound.At("/id")
	}
	nb.remove(in.ID)
	return struct{}{}, nil
}

func (nb *notebook) ask(_ context.Context, in textInput) (textOutput, error) {
	nb.set("question", note{Anna.Tenant, in.Text})
	return textOutput{"The answer to " + in.Text}, nil
}

func (nb *notebook) askAnew(ctx context.Context, in textInput) (textOutput, error) {
	out, err := nb.ask(ctx, in)
	out.Text += " is " + strconv.FormatInt(nb.answers.Add(1), 10)
	return out, err
}

func (nb *notebook) send(_ context.Context, in noteInput) (idOutput, error) {
	return idOutput{nb.add(note{Anna.Tenant, in.Text})}, nil
}

var errBusy = contract.Retryable("busy", "The service is busy. Try again.")

func (nb *notebook) charge(_ context.Context, in idInput) (idOutput, error) {
	nb.add(note{Anna.Tenant, "charged " + in.ID})
	return idOutput{}, errBusy
}
