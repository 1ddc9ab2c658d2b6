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
			// tenant saw everyone's rows.
			Name: "list_of_all_tenants", Rule: RuleOtherTenant, Source: "alphaonedev/ai-memory-mcp#872",
			Lie:    "A list has the notes of other tenants.",
			Lying:  in(func(nb *notebook) Subject { return nb.listed(nb.listAll) }),
			Honest: in(func(nb *notebook) Subject { return nb.listed(nb.list) }),
		},
		{
			Name: "id_of_another_tenant", Rule: RuleOtherTenant,
			Lie:    "A note can be read by its id from another tenant.",
			Lying:  in(func(nb *notebook) Subject { return nb.owned(nb.readNote) }),
			Honest: in(func(nb *notebook) Subject { return nb.owned(nb.readOwn) }),
		},
		{
			// delete() marked the row, and search returned it as before.
			Name: "deleted_id_still_reads", Rule: RuleDeleted, Source: "SaravananJaichandar/world-model-mcp#37",
			Lie:    "A note can be read by its id after it was deleted.",
			Lying:  in(func(nb *notebook) Subject { return nb.forgotten(nb.hide) }),
			Honest: in(func(nb *notebook) Subject { return nb.forgotten(nb.forget) }),
		},
	}
}

type idsOutput struct {
	IDs []string `json:"ids"`
}

// storing returns the tool that makes notes for its caller.
func (nb *notebook) storing() *contract.Tool {
	return built(writing("notes.store", "Stores a note of the caller.", nb.storeOwn))
}

func (nb *notebook) listed(h contract.Handler[struct{}, idsOutput]) Subject {
	s := nb.subject(reading("notes.list", "Lists the notes of the caller.", h))
	s.Beside = []*contract.Tool{nb.storing()}
	s.Cases = []Case{
		{"notes.store", textInput{"Feed the cat."}, Anna},
		{"notes.list", struct{}{}, Anna},
		{"notes.list", struct{}{}, Ben},
	}
	return s
}

func (nb *notebook) owned(h contract.Handler[idInput, textOutput]) Subject {
	s := nb.subject(reading("notes.read", "Returns the text of a note of the caller.", h).Failures(errNotFound))
	s.Beside = []*contract.Tool{nb.storing()}
	s.Cases = []Case{
		{"notes.store", textInput{"Feed the cat."}, Anna}, // its ID is n3
		{"notes.read", idInput{"n3"}, Anna},
		{"notes.read", idInput{"n3"}, Ben},
	}
	return s
}

func (nb *notebook) forgotten(h contract.Handler[idInput, struct{}]) Subject {
	s := nb.subject(writing("notes.forget", "Deletes a note.", h).Failures(errNotFound))
	s.Beside = []*contract.Tool{
		nb.storing(),
		built(reading("notes.read", "Returns the text of a note of the caller.", nb.readOwn).Failures(errNotFound)),
	}
	s.Cases = []Case{
		{"notes.store", textInput{"Feed the cat."}, Anna}, // its ID is n3
		{"notes.forget", idInput{"n3"}, Anna},
		{"notes.read", idInput{"n3"}, Anna},
	}
	return s
}

// tenant returns the caller's tenant.
func tenant(ctx context.Context) string {
	p, _ := guard.PrincipalFrom(ctx)
	return p.Tenant
}

func (nb *notebook) storeOwn(ctx context.Context, in textInput) (idOutput, error) {
	return idOutput{nb.add(note{tenant(ctx), in.Text})}, nil
}

func (nb *notebook) listAll(context.Context, struct{}) (idsOutput, error) {
	return idsOutput{nb.ids(func(note) bool { return true })}, nil
}

func (nb *notebook) list(ctx context.Context, _ struct{}) (idsOutput, error) {
	own := tenant(ctx)
	return idsOutput{nb.ids(func(n note) bool { return n.Tenant == own })}, nil
}

// ids returns the sorted IDs of the notes for which keep returns true.
func (nb *notebook) ids(keep func(note) bool) []string {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	ids := []string{}
	for id, n := range nb.notes {
		if keep(n) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (nb *notebook) readOwn(ctx context.Context, in idInput) (textOutput, error) {
	n, ok := nb.get(in.ID)
	if !ok || n.Tenant != tenant(ctx) {
		return textOutput{}, errNotFound.At("/id")
	}
	return textOutput{n.Text}, nil
}

func (nb *notebook) forget(ctx context.Context, in idInput) (struct{}, error) {
	if _, err := nb.readOwn(ctx, in); err != nil {
		return struct{}{}, err
	}
	nb.remove(in.ID)
	return struct{}{}, nil
}

// hide deletes nothing.
func (nb *notebook) hide(ctx context.Context, in idInput) (struct{}, error) {
	_, err := nb.readOwn(ctx, in)
	return struct{}{}, err
}
