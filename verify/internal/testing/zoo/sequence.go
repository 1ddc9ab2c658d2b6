package zoo

import (
	"context"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

func sequences() []Entry {
	return []Entry{
		{
			// The list of subscriptions had no filter for the caller, so each
			// tenant saw the rows of all.
			Name: "list_of_all_tenants", Rule: RuleOtherTenant, Source: "alphaonedev/ai-memory-mcp#872",
			Lie:    "A list has the notes of other tenants.",
			Lying:  in(func(w *world) Subject { return w.listed(w.listAll) }),
			Honest: in(func(w *world) Subject { return w.listed(w.list) }),
		},
		{
			Name: "id_of_another_tenant", Rule: RuleOtherTenant,
			Lie:    "A note can be read by its id from another tenant.",
			Lying:  in(func(w *world) Subject { return w.owned(w.readNote) }),
			Honest: in(func(w *world) Subject { return w.owned(w.readOwn) }),
		},
		{
			// delete() marked the row, and search returned it as before.
			Name: "deleted_id_still_reads", Rule: RuleDeleted, Source: "SaravananJaichandar/world-model-mcp#37",
			Lie:    "A note can be read by its id after it was deleted.",
			Lying:  in(func(w *world) Subject { return w.forgotten(w.hide) }),
			Honest: in(func(w *world) Subject { return w.forgotten(w.forget) }),
		},
	}
}

type idsOutput struct {
	IDs []string `json:"ids"`
}

// storing returns the tool that makes notes for its caller.
func (w *world) storing() *contract.Tool {
	return built(writing("notes.store", "Stores a note of the caller.", w.storeOwn))
}

func (w *world) listed(h contract.Handler[struct{}, idsOutput]) Subject {
	s := w.subject(reading("notes.list", "Lists the notes of the caller.", h))
	s.Beside = []*contract.Tool{w.storing()}
	s.Cases = []Case{
		{"notes.store", textInput{"Feed the cat."}, Anna},
		{"notes.list", struct{}{}, Anna},
		{"notes.list", struct{}{}, Ben},
	}
	return s
}

func (w *world) owned(h contract.Handler[idInput, textOutput]) Subject {
	s := w.subject(reading("notes.read", "Returns the text of a note of the caller.", h).Failures(errNotFound))
	s.Beside = []*contract.Tool{w.storing()}
	s.Cases = []Case{
		{"notes.store", textInput{"Feed the cat."}, Anna}, // its id is n3
		{"notes.read", idInput{"n3"}, Anna},
		{"notes.read", idInput{"n3"}, Ben},
	}
	return s
}

func (w *world) forgotten(h contract.Handler[idInput, struct{}]) Subject {
	s := w.subject(writing("notes.forget", "Deletes a note.", h).Failures(errNotFound))
	s.Beside = []*contract.Tool{
		w.storing(),
		built(reading("notes.read", "Returns the text of a note of the caller.", w.readOwn).Failures(errNotFound)),
	}
	s.Cases = []Case{
		{"notes.store", textInput{"Feed the cat."}, Anna}, // its id is n3
		{"notes.forget", idInput{"n3"}, Anna},
		{"notes.read", idInput{"n3"}, Anna},
	}
	return s
}

// tenant returns the tenant of the caller.
func tenant(ctx context.Context) string {
	p, _ := guard.PrincipalFrom(ctx)
	return p.Tenant
}

func (w *world) storeOwn(ctx context.Context, in textInput) (idOutput, error) {
	return idOutput{w.add(note{tenant(ctx), in.Text})}, nil
}

func (w *world) listAll(context.Context, struct{}) (idsOutput, error) {
	return idsOutput{w.ids(func(note) bool { return true })}, nil
}

func (w *world) list(ctx context.Context, _ struct{}) (idsOutput, error) {
	own := tenant(ctx)
	return idsOutput{w.ids(func(n note) bool { return n.Tenant == own })}, nil
}

// ids returns the sorted ids of the notes that a function keeps.
func (w *world) ids(keep func(note) bool) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := []string{}
	for id, n := range w.notes {
		if keep(n) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (w *world) readOwn(ctx context.Context, in idInput) (textOutput, error) {
	n, ok := w.get(in.ID)
	if !ok || n.Tenant != tenant(ctx) {
		return textOutput{}, errNotFound.At("/id")
	}
	return textOutput{n.Text}, nil
}

func (w *world) forget(ctx context.Context, in idInput) (struct{}, error) {
	if _, err := w.readOwn(ctx, in); err != nil {
		return struct{}{}, err
	}
	w.remove(in.ID)
	return struct{}{}, nil
}

// hide deletes nothing.
func (w *world) hide(ctx context.Context, in idInput) (struct{}, error) {
	_, err := w.readOwn(ctx, in)
	return struct{}{}, err
}
