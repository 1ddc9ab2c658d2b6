package adapters_test

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

func keyRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("key-replay", "an equal call with the same key in _meta gets the recorded result and does not run again", checkKeyReplay),
		rule("key-failure", "a recorded failure is replayed as a failure", checkKeyFailure),
		rule("key-conflict", "a call with the same key and other arguments is refused", checkKeyConflict),
		rule("key-caller", "the same key of another caller is another key", checkKeyCaller),
		rule("key-invalid", "a key that is not a text of 1 to 255 printable characters is refused", checkKeyInvalid),
		rule("key-required", "a call without a key that its contract requires is refused, and a dry run needs none", checkKeyRequired),
		rule("key-ignored", "a key that the contract does not take is reported in the outcome", checkKeyIgnored),
		rule("key-revoked", "a replay is refused after the permission was revoked", checkKeyRevoked),
	}
}

func dryRunRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("dryrun-preview", "a call with dryRun returns the preview, and the handler does not run", checkDryRunPreview),
		rule("dryrun-required", "a tool that requires a dry run takes only a call with the token of an equal one", checkDryRunRequired),
	}
}

// keyed returns a tool whose calls the guard deduplicates by the client's key.
func (c *counter) keyed(handler contract.Handler[noteIn, lengthOut], failures ...*contract.Failure) *contract.Tool {
	return writing("notes.send", handler).Failures(failures...).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}).MustBuild()
}

// withKey returns a call of that tool with a key given as raw JSON.
func withKey(text, key string) call {
	return call{tool: "notes.send", arguments: note(text), meta: `"` + contract.MetaKeyIdempotencyKey + `":` + key}
}

func checkKeyReplay(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{n.keyed(n.length)}).client(alice)
	first := c.send(withKey("hello", `"k1"`)).ran()
	again := c.send(withKey("hello", `"k1"`))
	again.status(contract.StatusReplayed)
	r := again.result()
	again.expect(equalJSON(r.StructuredContent, first.StructuredContent), "the structured content of the first call")
	again.expect(len(r.Content) > 1 && r.Content[0].text("text") == first.Content[0].text("text"),
		"the text of the first call, and a text with its time")
	t.expect(n.runs() == 1, "one run, but there were %d", n.runs())
	c.send(withKey("hello", `"k2"`)).ran()
}

func checkKeyFailure(t *checkRun) {
	n := &counter{}
	gone := contract.Fatal("gone", "The recipient is gone.")
	c := t.serve([]*contract.Tool{n.keyed(func(context.Context, noteIn) (lengthOut, error) {
		n.n.Add(1)
		return lengthOut{}, gone.Errorf("gone")
	}, gone)}).client(alice)
	c.send(withKey("hello", `"k1"`)).refused("gone")
	again := c.send(withKey("hello", `"k1"`))
	o := again.status(contract.StatusReplayed)
	again.expect(o.Code == "gone", "the code gone")
	again.expect(again.result().IsError, "isError")
	t.expect(n.runs() == 1, "one run, but there were %d", n.runs())
}

func checkKeyConflict(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{n.keyed(n.length)}).client(alice)
	c.send(withKey("hello", `"k1"`)).ran()
	c.send(withKey("other", `"k1"`)).refused(contract.CodeKeyConflict)
	t.expect(n.runs() == 1, "one run, but there were %d", n.runs())
}

func checkKeyCaller(t *checkRun) {
	n := &counter{}
	s := t.serve([]*contract.Tool{n.keyed(n.length)})
	s.allow(bob, mayWrite)
	c := s.client(alice)
	c.send(withKey("hello", `"k1"`)).ran()
	s.client(bob).send(withKey("hello", `"k1"`)).ran()
	t.expect(n.runs() == 2, "two runs, but there were %d", n.runs())
}

func checkKeyInvalid(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{n.keyed(n.length)}).client(alice)
	for _, key := range []string{`5`, `null`, `["k1"]`, `""`, `"a\u0000b"`, `"ä"`} {
		c.send(withKey("hello "+key, key)).refused(contract.CodeInvalidInput)
	}
	t.expect(n.runs() == 0, "that nothing runs")
}

func checkKeyRequired(t *checkRun) {
	n := &counter{}
	preview := dryrun.By(func(_ context.Context, in noteIn) (dryrun.Preview[lengthOut], error) {
		return dryrun.Preview[lengthOut]{Data: lengthOut{int64(len(in.Text))}}, nil
	})
	tool := writing("notes.send", n.length).DryRun(preview).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}).MustBuild()
	c := t.serve([]*contract.Tool{tool}).client(alice)
	a := c.call("notes.send", note("hello"))
	o := a.refused(contract.CodeInvalidInput)
	a.expect(len(o.Violations) == 1 && o.Violations[0].Rule == "idempotencyKey", "a violation of the rule idempotencyKey")
	c.call("notes.send", `{"text":"hello","dryRun":true}`).status(contract.StatusDryRun)
	t.expect(n.runs() == 0, "that nothing runs")
	c.send(withKey("hello", `"k1"`)).ran()
}

func checkKeyIgnored(t *checkRun) {
	_, c := t.double()
	a := c.send(call{tool: "calc.double", arguments: `{"n":1}`, meta: `"` + contract.MetaKeyIdempotencyKey + `":"k1"`})
	a.expect(a.status(contract.StatusOK).KeyIgnored, "keyIgnored")
}

func checkKeyRevoked(t *checkRun) {
	n := &counter{}
	s := t.serve([]*contract.Tool{n.keyed(n.length)})
	c := s.client(alice)
	c.send(withKey("hello", `"k1"`)).ran()
	s.allow(alice)
	a := c.send(withKey("hello", `"k1"`))
	a.refused(contract.CodePermissionDenied)
	a.expect(a.result().StructuredContent == nil, "no structured content")
}

// previewing returns a tool with a dry run, required or optional.
func (c *counter) previewing(required bool) *contract.Tool {
	preview := dryrun.By(func(_ context.Context, in noteIn) (dryrun.Preview[lengthOut], error) {
		return dryrun.Preview[lengthOut]{Data: lengthOut{int64(len(in.Text))}}, nil
	})
	if required {
		preview = preview.Required()
	}
	return writing("notes.erase", c.length).DryRun(preview).MustBuild()
}

func checkDryRunPreview(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{n.previewing(false)}).client(alice)
	a := c.call("notes.erase", `{"text":"hello","dryRun":true}`)
	a.status(contract.StatusDryRun)
	a.expect(a.result().StructuredContent != nil, "the preview as structured content")
	t.expect(n.runs() == 0, "that the handler does not run")
	c.call("notes.erase", note("hello")).ran()
}

func checkDryRunRequired(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{n.previewing(true)}).client(alice)
	c.call("notes.erase", note("hello")).refused(contract.CodeDryRunRequired)
	a := c.call("notes.erase", `{"text":"hello","dryRun":true}`)
	a.status(contract.StatusDryRun)
	var preview struct {
		Token string `json:"dryRunToken"`
	}
	a.expect(json.Unmarshal(a.result().StructuredContent, &preview) == nil && preview.Token != "", "a dryRunToken")
	token := `,"dryRunToken":` + quote(preview.Token) + `}`
	c.call("notes.erase", `{"text":"other"`+token).refused(contract.CodeDryRunRequired)
	t.expect(n.runs() == 0, "that the handler does not run")
	c.call("notes.erase", `{"text":"hello"`+token).ran()
}
