package adapters_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

func stepUpRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("stepup-address", "a person who must authenticate is sent to the address of the page, and the call then runs",
			checkStepUpAddress, asks),
		rule("stepup-unproven", "accepting without the authentication of the caller runs nothing", checkStepUpUnproven, asks),
		rule("stepup-incapable", "a client that opens no addresses gets the demand and a challenge", checkStepUpIncapable),
		rule("stepup-claimed", "an authentication that the client claims in the arguments or in _meta is ignored", checkStepUpClaimed),
		rule("challenge-metadata", "challenges name the address of the server's metadata, and permission_denied has one",
			checkChallengeMetadata),
	}
}

// steps is a server whose tool needs a strong, recent authentication.
type steps struct {
	*server
	counter
	mu  sync.Mutex
	ids []string // of the authentications the guard asked for
}

const resourceMetadata = "https://notes.example/.well-known/oauth-protected-resource/mcp"

func (t *checkRun) steppingUp(opts ...option) *steps {
	s := &steps{}
	tool := writing("notes.close", s.length).StepUp(contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"}).MustBuild()
	page := guard.WithPeople(guard.PeopleOptions{StepUpPage: func(_ context.Context, r people.StepUpRequest) (string, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ids = append(s.ids, r.ID)
		return "https://notes.example/step-up?id=" + r.ID, nil
	}})
	s.server = t.serve([]*contract.Tool{tool}, append(opts, withGuard(page))...)
	return s
}

// authenticate completes the latest authentication as a person.
func (s *steps) authenticate(subject, acr string) {
	s.mu.Lock()
	id := s.ids[len(s.ids)-1]
	s.mu.Unlock()
	// If this fails, the call shows it.
	_ = s.settings.Guard.People().CompleteStepUp(context.Background(), id, guard.Principal{
		Issuer: "https://issuer.example", Subject: subject, AuthTime: time.Now(), ACR: acr,
	})
}

func checkStepUpAddress(t *checkRun) {
	s := t.steppingUp()
	d := s.askingBy(alice, call{tool: "notes.close", arguments: note("x")}, func(question) string {
		s.authenticate(alice, "mfa")
		return `{"action":"accept"}`
	})
	d.answer.ran()
	q := d.one()
	d.answer.expect(q.Mode == "url" && q.URL == "https://notes.example/step-up?id="+s.ids[0],
		"the address of the page, but the question is %s", t.encode(q))
	d.answer.expect(q.ElicitationID != "", "an elicitationId, but the question is %s", t.encode(q))
	d.answer.expect(len(q.RequestedSchema.Properties) == 0, "no form, but the question is %s", t.encode(q))
	d.answer.expect(!strings.Contains(q.Message, "://"), "no address in the message, but the question is %s", t.encode(q))
	t.expect(s.runs() == 1, "one run, but there were %d", s.runs())
}

func checkStepUpUnproven(t *checkRun) {
	for _, person := range []func(*steps){
		func(*steps) {},
		func(s *steps) { s.authenticate(alice, "pwd") },
		func(s *steps) { s.authenticate(bob, "mfa") },
	} {
		// The guard waits this long for the authentication.
		s := t.steppingUp(withGuard(guard.WithTimes(guard.Times{QuestionTimeout: 100 * time.Millisecond})))
		d := s.askingBy(alice, call{tool: "notes.close", arguments: note("x")}, func(question) string {
			person(s)
			return `{"action":"accept"}`
		})
		d.answer.expect(d.answer.outcome().Status != contract.StatusOK, "no result of the tool")
		t.expect(s.runs() == 0, "that nothing runs")
	}
}

// challenges returns the challenges in a result's _meta.
func (a answer) challenges() []string {
	var all []string
	if raw := a.result().Meta[metaKeyChallenges]; raw != nil {
		a.expect(json.Unmarshal(raw, &all) == nil, "a list of challenges in _meta")
	}
	return all
}

func checkStepUpIncapable(t *checkRun) {
	s := t.steppingUp()
	for _, capabilities := range []string{none, forms} {
		a := s.connect(alice, capabilities, nil).call("notes.close", note("x"))
		o := a.refused(contract.CodeStepUpRequired)
		a.expect(o.StepUp != nil && o.StepUp.MaxAge == 5*time.Minute && o.StepUp.ACR == "mfa", "the demand in the outcome")
		challenges := a.challenges()
		a.expect(len(challenges) == 1 && strings.Contains(challenges[0], "insufficient_user_authentication") &&
			strings.Contains(challenges[0], `acr_values="mfa"`),
			"one challenge with the demand")
	}
	t.expect(s.runs() == 0, "that nothing runs")
}

func checkStepUpClaimed(t *checkRun) {
	s := t.steppingUp()
	c := s.connect(alice, none, nil)
	c.send(call{tool: "notes.close", arguments: note("x"),
		meta: `"acr":"mfa","mfa":true,"auth_time":4102444800`}).refused(contract.CodeStepUpRequired)
	c.send(call{tool: "notes.close", arguments: `{"text":"x","acr":"mfa"}`}).expectNoRun()
	t.expect(s.runs() == 0, "that nothing runs")
}

// expectNoRun expects any refusal.
func (a answer) expectNoRun() { a.expect(a.outcome().Status == contract.StatusError, "a refusal") }

func checkChallengeMetadata(t *checkRun) {
	s := t.steppingUp(withSettings(func(s *Settings) { metadata := resourceMetadata; s.ResourceMetadata = &metadata }))
	c := s.connect(alice, none, nil)
	a := c.call("notes.close", note("x"))
	a.refused(contract.CodeStepUpRequired)
	names := func(c []string) bool { return len(c) == 1 && strings.Contains(c[0], resourceMetadata) }
	a.expect(names(a.challenges()), "one challenge that names the metadata")
	a = c.as(bob).call("notes.close", note("x"))
	a.refused(contract.CodePermissionDenied)
	a.expect(names(a.challenges()) && strings.Contains(a.challenges()[0], `scope="`+mayWrite+`"`),
		"one challenge that names the metadata and the scope %s", mayWrite)

	without := t.serve((&counter{}).all()).client(bob).call("notes.write", note("x"))
	without.expect(len(without.challenges()) == 0, "no challenge if the server has no metadata")
}
