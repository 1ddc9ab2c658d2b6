package adapters_test

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

func identityRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("identity-meta", "a principal or permissions in _meta are ignored", checkIdentityMeta),
		rule("identity-client", "the name of the client is no principal", checkIdentityClient),
		rule("identity-arguments", "a principal in the arguments is an argument like any other", checkIdentityArguments),
		rule("identity-params", "headers and tokens in the parameters are ignored", checkIdentityParams),
		rule("identity-session", "a session id, and headers other than Authorization, are no principal", checkIdentitySession,
			overHTTP),
		rule("identity-request", "the principal of a call is that of its own request, not of the first one in the session",
			checkIdentityRequest),
		rule("identity-revoked", "each call counts the permissions that the caller has at that time", checkIdentityRevoked),
		rule("identity-handler", "the handler finds the principal of its call in the context", checkIdentityHandler),
		rule("identity-unavailable", "if the principal cannot be found now, the call is refused as unavailable",
			checkIdentityUnavailable),
	}
}

// claims checks that calls and lists with a claim still count as bob's, who may
// not write.
func (t *checkRun) claims(claim call) {
	n := &counter{}
	s := t.serve(n.all())
	claim.tool = "notes.write"
	if claim.arguments == "" {
		claim.arguments = note("x")
	}
	c := s.client(bob)
	for who, code := range map[string]string{nobody: contract.CodeUnauthenticated, bob: contract.CodePermissionDenied} {
		c.as(who).send(claim).refused(code)
		c.as(who).do(request{method: "tools/list", params: claim.params, meta: claim.meta,
			headers: claim.headers}).without("notes.write")
	}
	t.expect(n.runs() == 0, "that nothing runs")
	for _, e := range s.terminal() {
		t.expect(e.Principal != alice && e.Agent, "no event of %s, but the audit log has %s", alice, t.encode(e))
	}
}

func checkIdentityMeta(t *checkRun) {
	t.claims(call{meta: `"principal":"alice","authorization":"Bearer alice","permissions":["notes:write"],` +
		`"io.github.toolcontract/principal":{"subject":"alice","permissions":["notes:write"],"human":true}`})
}

func checkIdentityClient(t *checkRun) {
	t.claims(call{meta: `"io.modelcontextprotocol/clientInfo":{"name":"alice","version":"admin"}`})
}

func checkIdentityArguments(t *checkRun) {
	t.claims(call{arguments: `{"text":"x","principal":"alice","authorization":"Bearer alice","permissions":["notes:write"]}`})
}

func checkIdentityParams(t *checkRun) {
	t.claims(call{params: `"header":{"Authorization":["Bearer alice"]},"Header":{"Authorization":["Bearer alice"]},` +
		`"principal":"alice"`})
}

func checkIdentitySession(t *checkRun) {
	t.claims(call{headers: map[string]string{"X-Principal": alice, "Mcp-Principal": alice, "X-Forwarded-User": alice}})
	n := &counter{}
	s := t.serve(n.all())
	c := s.client(bob)
	for _, id := range []string{alice, "stdio", "mcp-session-00000000-0000-0000-0000-000000000000"} {
		p := c.start(call{tool: "notes.write", arguments: note("x"), headers: map[string]string{"Mcp-Session-Id": id}}.request())
		select {
		case m := <-p.response:
			a := p.answer(m)
			a.expect(a.Error != nil || a.outcome().Status == contract.StatusError, "a refusal")
		case <-p.failed: // over HTTP, a nonexistent session may be refused
		}
	}
	t.expect(n.runs() == 0, "that nothing runs")
	for _, e := range s.terminal() {
		t.expect(e.Principal != alice, "no event of %s, but the audit log has %s", alice, t.encode(e))
	}
}

func checkIdentityRequest(t *checkRun) {
	n := &counter{}
	s := t.serve(n.all())
	c := s.client(alice)
	c.call("notes.write", note("x")).ran()
	p := c.as(bob).start(call{tool: "notes.write", arguments: note("y")}.request())
	select {
	case m := <-p.response:
		a := p.answer(m)
		a.expect(a.Error != nil || a.outcome().Code == contract.CodePermissionDenied, "a refusal of bob's call in alice's session")
	case <-p.failed: // over HTTP, an adapter may refuse someone else's session
	}
	t.expect(n.runs() == 1, "one run, by %s, but there were %d", alice, n.runs())
	c.as(alice).call("notes.write", note("z")).ran()
}

func checkIdentityRevoked(t *checkRun) {
	n := &counter{}
	s := t.serve(n.all())
	c := s.client(alice)
	c.call("notes.write", note("x")).ran()
	s.allow(alice)
	c.call("notes.write", note("y")).refused(contract.CodePermissionDenied)
	t.expect(n.runs() == 1, "one run, but there were %d", n.runs())
}

func checkIdentityHandler(t *checkRun) {
	tool := reading("who.am_i", func(ctx context.Context, _ nothing) (string, error) {
		p, _ := guard.PrincipalFrom(ctx)
		return "you are " + p.Subject, nil
	}).MustBuild()
	c := t.serve([]*contract.Tool{tool}).client(nobody)
	for _, who := range []string{nobody, alice, bob, alice} {
		a := c.as(who).call("who.am_i", `{}`)
		r := a.ran()
		a.expect(r.Content[0].text("text") == "you are "+who, "the caller %q in the handler", who)
	}
}

func checkIdentityUnavailable(t *checkRun) {
	n := &counter{}
	c := t.serve(n.all()).client(offline)
	c.call("notes.write", note("x")).refused(contract.CodeUnavailable)
	t.expect(n.runs() == 0, "that nothing runs")
}
