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
			// The id is optional and assigned on each call, and the tool was
			// proposed with idempotentHint true.
			Name: "create_assigns_an_id", Rule: RuleIdempotentSecond, Source: "ganhammar/hass-mcp-server#56",
			Lie:    "An idempotent tool creates a note with a new id on each call.",
			Lying:  in(func(w *world) Subject { return w.saved(w.create) }),
			Honest: in(func(w *world) Subject { return w.saved(w.save) }),
		},
		{
			// An update of a calendar event mails all attendees by default, on
			// each call. MCP hosts repeat calls of idempotent tools.
			Name: "update_notifies", Rule: RuleIdempotentSecond, Source: "taylorwilsdon/google_workspace_mcp#707",
			Lie:    "An idempotent update notifies the readers on each call, also if nothing changes.",
			Lying:  in(func(w *world) Subject { return w.updated(w.updateAndNotify) }),
			Honest: in(func(w *world) Subject { return w.updated(w.updateAndNotifyOnce) }),
		},
		{
			Name: "update_appends", Rule: RuleIdempotentSecond,
			Lie:    "An idempotent update appends the text to the note.",
			Lying:  in(func(w *world) Subject { return w.updated(w.extend) }),
			Honest: in(func(w *world) Subject { return w.updated(w.update) }),
		},
		{
			// The second call fails because the project is gone. The hint was
			// true until this change.
			Name: "delete_fails_again", Rule: RuleIdempotentAnswer, Source: "neondatabase/mcp-server-neon#185",
			Lie:    "The second call of an idempotent deletion fails.",
			Lying:  in(func(w *world) Subject { return w.deleted(w.deleteOnce) }),
			Honest: in(func(w *world) Subject { return w.deleted(w.deleteAlways) }),
		},
		{
			// A tool that asks a model was published as idempotent. Each answer
			// differs.
			Name: "answer_differs", Rule: RuleIdempotentAnswer, Source: "chroma-core/chroma#7349",
			Lie:    "An idempotent tool answers each call differently.",
			Lying:  in(func(w *world) Subject { return w.asked(w.askAnew) }),
			Honest: in(func(w *world) Subject { return w.asked(w.ask) }),
		},
		{
			// Repeated calls were recognised for 24 hours, and idempotentHint
			// has no such limit. Here the result expires at once.
			Name: "managed_result_expires", Rule: RuleIdempotentRanTwice, Source: "vm0-ai/vm0#35539",
			Lie:    "The results of a managed tool expire at once, so that a repeated call runs again.",
			Lying:  in(func(w *world) Subject { return w.sent(w.send, expired) }),
			Honest: in(func(w *world) Subject { return w.sent(w.send, lasting) }),
		},
		{
			Name: "managed_retry_after_effect", Rule: RuleIdempotentRanTwice,
			Lie:    "A managed tool has its effect, and then fails with a failure that releases the key.",
			Lying:  in(func(w *world) Subject { return w.charged(errBusy) }),
			Honest: in(func(w *world) Subject { return w.charged(errBusy.EffectPossible()) }),
		},
	}
}

func (w *world) saved(h contract.Handler[textInput, idOutput]) Subject {
	return w.subject(writing("notes.save", "Saves a note with a text, if there is none.", h).Idempotency(native()),
		textInput{"Water the plants."})
}

func (w *world) updated(h contract.Handler[noteInput, idOutput]) Subject {
	return w.subject(writing("notes.update", "Sets the text of a note.", h).Idempotency(native()), noteInput{"n1", "Buy bread."})
}

func (w *world) deleted(h contract.Handler[idInput, struct{}]) Subject {
	return w.subject(writing("notes.delete", "Deletes a note.", h).Idempotency(native()).Failures(errNotFound), idInput{"n1"})
}

func (w *world) asked(h contract.Handler[textInput, textOutput]) Subject {
	return w.subject(writing("notes.ask", "Answers a question, and remembers it.", h).Idempotency(native()), textInput{"Milk?"})
}

func (w *world) sent(h contract.Handler[noteInput, idOutput], until func(noteInput, idOutput) time.Time) Subject {
	return w.subject(writing("notes.send", "Sends a note.", h).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"id"}}).ReplayUntil(until),
		noteInput{"m1", "Hello."})
}

func expired(noteInput, idOutput) time.Time { return time.Unix(1, 0) }

func lasting(noteInput, idOutput) time.Time { return time.Now().Add(time.Hour) }

// charged returns a tool that fails on each call, after its effect.
func (w *world) charged(busy *contract.Failure) Subject {
	return w.subject(writing("notes.charge", "Charges for a note.", w.charge).Failures(busy).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"id"}}),
		idInput{"m1"})
}

func (w *world) create(_ context.Context, in textInput) (idOutput, error) {
	return idOutput{w.add(note{Anna.Tenant, in.Text})}, nil
}

// save is create without a second note of the same text.
func (w *world) save(_ context.Context, in textInput) (idOutput, error) {
	id := "text of " + in.Text
	w.set(id, note{Anna.Tenant, in.Text})
	return idOutput{id}, nil
}

func (w *world) update(_ context.Context, in noteInput) (idOutput, error) {
	w.set(in.ID, note{Anna.Tenant, in.Text})
	return idOutput{in.ID}, nil
}

func (w *world) extend(_ context.Context, in noteInput) (idOutput, error) {
	n, _ := w.get(in.ID)
	w.set(in.ID, note{Anna.Tenant, n.Text + in.Text})
	return idOutput{in.ID}, nil
}

func (w *world) updateAndNotify(ctx context.Context, in noteInput) (idOutput, error) {
	w.request(ctx, http.MethodPost, w.env.Service+"/notify")
	return w.update(ctx, in)
}

func (w *world) updateAndNotifyOnce(ctx context.Context, in noteInput) (idOutput, error) {
	if n, ok := w.get(in.ID); !ok || n.Text != in.Text {
		w.request(ctx, http.MethodPost, w.env.Service+"/notify")
	}
	return w.update(ctx, in)
}

func (w *world) deleteOnce(_ context.Context, in idInput) (struct{}, error) {
	if !w.remove(in.ID) {
		return struct{}{}, errNotFound.At("/id")
	}
	return struct{}{}, nil
}

func (w *world) deleteAlways(_ context.Context, in idInput) (struct{}, error) {
	if !strings.HasPrefix(in.ID, "n") { // no note has such an id
		return struct{}{}, errNotFound.At("/id")
	}
	w.remove(in.ID)
	return struct{}{}, nil
}

func (w *world) ask(_ context.Context, in textInput) (textOutput, error) {
	w.set("question", note{Anna.Tenant, in.Text})
	return textOutput{"The answer to " + in.Text}, nil
}

func (w *world) askAnew(ctx context.Context, in textInput) (textOutput, error) {
	out, err := w.ask(ctx, in)
	out.Text += " is " + strconv.FormatInt(w.answers.Add(1), 10)
	return out, err
}

func (w *world) send(_ context.Context, in noteInput) (idOutput, error) {
	return idOutput{w.add(note{Anna.Tenant, in.Text})}, nil
}

var errBusy = contract.Retryable("busy", "The service is busy. Try again.")

func (w *world) charge(_ context.Context, in idInput) (idOutput, error) {
	w.add(note{Anna.Tenant, "charged " + in.ID})
	return idOutput{}, errBusy
}
