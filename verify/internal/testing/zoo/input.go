package zoo

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

func inputs() []Entry {
	return []Entry{
		{
			Name: "pattern_that_nothing_checks", Rule: RuleInvalidReachedHandler,
			Lie:    "A pattern is published that is not RE2, so that ids against it reach the handler.",
			Lying:  in(func(nb *notebook) Subject { return nb.opened(lookahead) }),
			Honest: in(func(nb *notebook) Subject { return nb.opened(plainPattern) }),
		},
		{
			Name: "member_without_a_schema", Rule: RuleInvalidReachedHandler,
			Lie:    "A handler acts on a member that its open input schema does not name.",
			Lying:  in(func(nb *notebook) Subject { return nb.moved(openMembers) }),
			Honest: in(func(nb *notebook) Subject { return nb.moved(closedMembers) }),
		},
		{
			Name: "resolves_to_more", Rule: RuleResolveHigher,
			Lie:    "A tool resolves some calls to an effect above the declared one.",
			Lying:  in(func(nb *notebook) Subject { return nb.purged(contract.Least{Risk: risk.Low}, resolveHigher) }),
			Honest: in(func(nb *notebook) Subject { return nb.purged(contract.Least{Risk: risk.Low}, resolveLower) }),
		},
		{
			Name: "resolves_to_less", Rule: RuleResolveLower,
			Lie:    "A tool resolves some calls to a risk below the least that it publishes.",
			Lying:  in(func(nb *notebook) Subject { return nb.purged(contract.Least{}, resolveLower) }),
			Honest: in(func(nb *notebook) Subject { return nb.purged(contract.Least{Risk: risk.Low}, resolveLower) }),
		},
	}
}

// The schemas of notes.open. The first pattern needs a lookahead.
const (
	lookahead = `{"type":"object","properties":{"id":{"type":"string","description":"The ` +
		`id.","maxLength":40,"pattern":"^(?!x)[a-z0-9]+$"}},"required":["id"],"additionalProperties":false}`
	plainPattern = `{"type":"object","properties":{"id":{"type":"string","description":"The ` +
		`id.","maxLength":40,"pattern":"^[a-wyz0-9][a-z0-9]*$"}},"required":["id"],"additionalProperties":false}`
)

func (nb *notebook) opened(schema string) Subject {
	b := reading("notes.open", "Returns the text of a note.", nb.readNote).
		InputSchema(json.RawMessage(schema)).Failures(errNotFound)
	if schema == lookahead {
		b.UncheckedPatterns()
	}
	return nb.subject(b, idInput{"n1"}, idInput{"n9"})
}

// The schemas of notes.move.
const (
	openMembers = `{"type":"object","properties":{"id":{"type":"string","description":"The ` +
		`id.","maxLength":40}},"required":["id"]}`
	closedMembers = `{"type":"object","properties":{"id":{"type":"string","description":"The ` +
		`id.","maxLength":40}},"required":["id"],"additionalProperties":false}`
)

func (nb *notebook) moved(schema string) Subject {
	return nb.subject(writing("notes.move", "Moves a note to the archive.", nb.move).InputSchema(json.RawMessage(schema)),
		map[string]any{"id": "n1"})
}

// move deletes all notes if a member asks for it.
func (nb *notebook) move(_ context.Context, in map[string]any) (struct{}, error) {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	if _, ok := in["all"]; ok {
		clear(nb.notes)
		return struct{}{}, nil
	}
	if id, ok := in["id"].(string); ok {
		delete(nb.notes, id)
	}
	return struct{}{}, nil
}

func (nb *notebook) purged(least contract.Least, resolve func(noteInput) contract.Resolution) Subject {
	return nb.subject(writing("notes.purge", "Sets the text of a note.", nb.update).Idempotency(native()).Resolve(least, resolve),
		noteInput{"n1", "Buy bread."}, noteInput{"n1", ""})
}

func resolveHigher(in noteInput) contract.Resolution {
	if in.Text == "" {
		return contract.Resolution{Effect: risk.Destructive}
	}
	return contract.Resolution{}
}

func resolveLower(in noteInput) contract.Resolution {
	if in.Text == "" {
		return contract.Resolution{Risk: risk.Low}
	}
	return contract.Resolution{}
}
