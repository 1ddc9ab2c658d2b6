package adapters_test

import (
	"bytes"
	"encoding/base64"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
	"github.com/toolcontract/toolcontract/store"
)

func stateRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("state-forged", "a state that the server did not issue is a JSON-RPC error, in the same bytes for each", checkStateForged),
		rule("state-arguments", "the state of a question does not count for other arguments, and does for the same in another order",
			checkStateArguments, inRounds),
		rule("state-caller", "the state of a question does not count for another caller", checkStateCaller, inRounds),
		rule("state-tool", "the state of a question does not count for another tool", checkStateTool, inRounds),
		rule("state-server", "the state of a question does not count on another server with the same keys and store", checkStateServer,
			inRounds),
		rule("state-reused", "a state runs a call once", checkStateReused, inRounds),
		rule("state-key", "the answer to another question does not count, and the question is asked again", checkStateKey, inRounds),
		rule("state-revoked", "an approved call does not run after the permission was revoked", checkStateRevoked, inRounds),
	}
}

// open makes a call and returns its question's state.
func (c *client) open(sent call) (key, state string) {
	a := c.send(sent)
	key, _ = a.asks()
	return key, a.result().RequestState
}

func checkStateForged(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{n.sending()}).client(alice)
	var first string
	for _, state := range []string{"garbage", "{}", "tc1.AAAA", base64.RawURLEncoding.EncodeToString(make([]byte, 200))} {
		a := c.send(call{tool: "notes.send", arguments: note("x")}.answering("confirm", accepts, state))
		a.expect(a.Error != nil, "a JSON-RPC error")
		got := string(a.anonymous())
		if first == "" {
			first = got
		}
		a.expect(got == first, "the bytes of the answer to another forged state: %s", first)
	}
	t.expect(n.runs() == 0, "that nothing runs")
}

// rejected expects that a state doesn't count.
func (a answer) rejected() {
	a.expect(a.Error != nil || a.outcome().Status == contract.StatusError, "a refusal of the state")
}

func checkStateArguments(t *checkRun) {
	n := &counter{}
	s := t.serve([]*contract.Tool{n.sending()})
	c := s.client(alice)
	key, state := c.open(call{tool: "notes.send", arguments: note("to anna")})
	c.send(call{tool: "notes.send", arguments: note("to mallory")}.answering(key, accepts, state)).rejected()
	t.expect(n.runs() == 0, "that nothing runs")
	key, state = c.open(call{tool: "notes.send", arguments: `{"text":"to anna"}`})
	c.send(call{tool: "notes.send", arguments: ` { "text" : "to \u0061nna" } `}.answering(key, accepts, state)).ran()
}

func checkStateCaller(t *checkRun) {
	n := &counter{}
	s := t.serve([]*contract.Tool{n.sending()})
	s.allow(bob, mayWrite)
	c := s.client(alice)
	key, state := c.open(call{tool: "notes.send", arguments: note("x")})
	c.as(bob).send(call{tool: "notes.send", arguments: note("x")}.answering(key, accepts, state)).rejected()
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkStateTool(t *checkRun) {
	n := &counter{}
	other := writing("notes.erase", n.length).ConfirmAlways().MustBuild()
	c := t.serve([]*contract.Tool{n.sending(), other}).client(alice)
	key, state := c.open(call{tool: "notes.send", arguments: note("x")})
	c.send(call{tool: "notes.erase", arguments: note("x")}.answering(key, accepts, state)).rejected()
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkStateServer(t *checkRun) {
	n := &counter{}
	memory, err := store.NewMemory()
	t.expect(err == nil, "a store")
	shared := withGuard(guard.WithStore(memory), guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32)))
	named := func(name string) *client {
		return t.serve([]*contract.Tool{n.sending()}, shared, withSettings(func(s *Settings) { s.Server = name })).client(alice)
	}
	staging := named("staging")
	production := named("production")
	key, state := staging.open(call{tool: "notes.send", arguments: note("x")})
	approved := call{tool: "notes.send", arguments: note("x")}.answering(key, accepts, state)
	production.send(approved).rejected()
	t.expect(n.runs() == 0, "that nothing runs")
	staging.send(approved).ran()
}

func checkStateReused(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{n.sending()}).client(alice)
	key, state := c.open(call{tool: "notes.send", arguments: note("x")})
	approved := call{tool: "notes.send", arguments: note("x")}.answering(key, accepts, state)
	c.send(approved).ran()
	for range 3 {
		a := c.send(approved)
		a.expect(a.Error != nil || a.outcome().Status != contract.StatusOK, "no second result of the tool")
	}
	t.expect(n.runs() == 1, "one run, but there were %d", n.runs())
}

func checkStateKey(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{n.sending()}).client(alice)
	_, state := c.open(call{tool: "notes.send", arguments: note("x")})
	a := c.send(call{tool: "notes.send", arguments: note("x")}.answering("other", accepts, state))
	a.asks()
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkStateRevoked(t *checkRun) {
	n := &counter{}
	s := t.serve([]*contract.Tool{n.sending()})
	c := s.client(alice)
	key, state := c.open(call{tool: "notes.send", arguments: note("x")})
	s.allow(alice)
	c.send(call{tool: "notes.send", arguments: note("x")}.answering(key, accepts, state)).refused(contract.CodePermissionDenied)
	t.expect(n.runs() == 0, "that nothing runs")
}
