package sdks_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

const metadata = "https://notes.example/.well-known/oauth-protected-resource/mcp"

// steppingUp serves a tool that needs a recent strong authentication, with a
// page for it.
func steppingUp(t *testing.T, s sdk, n *tools, more ...guard.Option) *kit {
	t.Helper()
	with, address := asWritten(n.CloseNote()), metadata
	with.ResourceMetadata = &address
	return newKit(t, s, with, append([]guard.Option{
		guard.WithPeople(guard.PeopleOptions{StepUpPage: func(_ context.Context, r people.StepUpRequest) (string, error) {
			return "https://notes.example/step-up?id=" + r.ID, nil
		}}),
	}, more...)...)
}

// browser returns a person whose client opens URLs. There someone
// authenticates, unless by is anonymous. The person gives up at the second
// question.
func (k *kit) browser(by guard.Principal, a answer) *person {
	p := &person{forms: true, pages: true}
	p.answer = func(ctx context.Context, q question) answer {
		p.last.Store(&q)
		if p.asked.Add(1) > 1 {
			return cancels
		}
		if !by.IsAnonymous() {
			_ = k.guard.People().CompleteStepUp(ctx, q.id, by) // a failure shows in the call's result
		}
		return a
	}
	return p
}

func strongAlice() guard.Principal {
	return guard.Principal{Issuer: "test", Subject: "alice", AuthTime: time.Now(), ACR: "mfa"}
}

var (
	closeNote = map[string]any{"text": "hello"}
	accepts   = answer{action: approves.action}
)

// challenge returns the challenges of a result.
func challenge(t *testing.T, raw string) (all []string) {
	t.Helper()
	if m, ok := sdktest.Parse(t, raw).Result.Meta["mcp/www_authenticate"]; ok {
		require.NoError(t, json.Unmarshal(m, &all))
	}
	return all
}

func TestStepUp_ClientThatCannotOpenAnAddressGetsTheRequirement(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		n := &tools{}
		raw, err := steppingUp(t, s, n).client(e, "alice", nil).Call(t.Context(), "notes.close", closeNote)
		require.NoError(t, err)
		o := sdktest.Outcome(t, raw)
		assert.Equal(t, contract.CodeStepUpRequired, o.Code)
		assert.Equal(t, contract.ClassFatal, o.Class)
		assert.Equal(t, &contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"}, o.StepUp)
		assert.Equal(t, []string{`Bearer error="insufficient_user_authentication", error_description="A more recent or stronger ` +
			`authentication is required", acr_values="mfa", max_age="300", resource_metadata="` + metadata + `"`}, challenge(t, raw))
		assert.Zero(t, n.Notes.Load())
	})
}

// If permissions are token scopes, the answer names the scopes the host must
// request. Otherwise no token can help.
func TestWithResourceMetadata_NamesMissingScopes(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		n := &tools{}
		raw, err := steppingUp(t, s, n).client(e, "bob", nil).Call(t.Context(), "notes.close", closeNote)
		require.NoError(t, err)
		o := sdktest.Outcome(t, raw)
		assert.Equal(t, contract.CodePermissionDenied, o.Code)
		assert.Equal(t, []string{"notes:write"}, o.MissingPermissions)
		assert.Equal(t, []string{`Bearer error="insufficient_scope", error_description="The tool needs more scopes", ` +
			`scope="notes:write", resource_metadata="` + metadata + `"`}, challenge(t, raw))

		k := newKit(t, s, asWritten(n.Note(nil).MustBuild()))
		raw, err = k.client(e, "bob", nil).Call(t.Context(), "notes.write", closeNote)
		require.NoError(t, err)
		assert.Equal(t, []string{"notes:write"}, sdktest.Outcome(t, raw).MissingPermissions)
		assert.Empty(t, challenge(t, raw))
	})
}

func TestThreat65_OverTheWireTheCallContinuesAfterAuthentication(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		n := &tools{}
		k := steppingUp(t, s, n)
		p := k.browser(strongAlice(), accepts)
		raw, err := k.client(e, "alice", p).Call(t.Context(), "notes.close", closeNote)
		require.NoError(t, err)
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
		assert.EqualValues(t, 1, n.Notes.Load())
		require.EqualValues(t, 1, p.asked.Load())
		asked := p.last.Load()
		assert.Equal(t, "url", asked.mode)
		assert.Equal(t, "https://notes.example/step-up?id="+asked.id, asked.url)
		assert.Nil(t, asked.schema)
		assert.NotContains(t, asked.message, "://")
	})
}

func TestThreat65_OverTheWireOnlyTheRequiredAuthenticationCounts(t *testing.T) {
	t.Parallel()
	weak, other := strongAlice(), strongAlice()
	weak.ACR, other.Subject = "pwd", "bob"
	eachEra(t, func(t *testing.T, s sdk, e era) {
		for name, c := range map[string]struct {
			by     guard.Principal
			answer answer
		}{
			"accepted without authentication": {guard.Principal{}, accepts},
			"a weak authentication":           {weak, accepts},
			"another person's authentication": {other, accepts},
			"declined":                        {guard.Principal{}, declines},
			"cancelled":                       {guard.Principal{}, cancels},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				n := &tools{}
				k := steppingUp(t, s, n, guard.WithTimes(guard.Times{QuestionTimeout: 200 * time.Millisecond})) // waited for
				raw, err := k.client(e, "alice", k.browser(c.by, c.answer)).Call(t.Context(), "notes.close", closeNote)
				require.NoError(t, err)
				assert.Equal(t, contract.CodeStepUpRequired, sdktest.Outcome(t, raw).Code)
				assert.Zero(t, n.Notes.Load())
			})
		}
	})
}

func TestThreat153_OverTheWireTheTokenIsRevokedWhileAPersonIsAsked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool string
		can  func(*person)
	}{
		"by a form":                    {"notes.send", func(p *person) { p.forms = true }},
		"on the page of the approver":  {"notes.send", func(p *person) { p.pages = true }},
		"on the page to sign in again": {"notes.close", func(p *person) { p.pages = true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEra(t, func(t *testing.T, s sdk, e era) {
				n, l := &tools{}, &sdktest.Late{}
				k := newKit(t, s, asWritten(n.Send(), n.CloseNote()), guard.WithPrincipal(s.Bearer(l.Verify)), l.Option())
				p := &person{answer: func(ctx context.Context, q question) answer {
					l.Agree(ctx, q.url, q.id)
					return approves
				}}
				c.can(p)
				raw, err := k.client(e, "alice", p).Call(t.Context(), c.tool, closeNote)
				require.NoError(t, err)
				assert.Equal(t, contract.CodeUnauthenticated, sdktest.Outcome(t, raw).Code)
				assert.Zero(t, n.Notes.Load())
				events := k.events(audit.Terminal)
				assert.Equal(t, "authenticate", events[len(events)-1].Stage)
			})
		})
	}
}
