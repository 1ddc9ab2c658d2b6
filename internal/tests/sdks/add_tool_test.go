package sdks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
)

// credentials is the input of a typed handler. Its secrets have the tags of a
// contract, which no SDK reads.
type credentials struct {
	User  string  `json:"user" contract:"sensitive"`
	Token string  `json:"token" contract:"secret"`
	Next  []login `json:"next,omitempty"`
}

type login struct {
	Password string `json:"password" contract:"secret"`
}

type done struct {
	Done bool `json:"done"`
}

const withSecrets = `{"user":"mallory77","token":"ghp_a/b+c","next":[{"password":"hunter22"}]}`

// A tag that hides a value from errors, logs and people counts for the SDK's own
// handlers as for those of contract.New.
func TestAddTool_HidesWhatTheTagsOfItsInputProtect(t *testing.T) {
	t.Parallel()
	wrong := contract.Fatal("wrong", "The login is wrong.")
	text := func(in credentials) error {
		return fmt.Errorf("no %s with %s and %s", in.User, in.Token, in.Next[0].Password)
	}
	for name, c := range map[string]struct {
		base contract.Base
		err  func(credentials) error
		code string
	}{
		"a declared failure": {contract.Base{Effect: risk.ReadOnly, Failures: []*contract.Failure{wrong}},
			func(in credentials) error { return wrong.Errorf("%w", text(in)) }, "wrong"},
		"another error":  {contract.Base{Effect: risk.ReadOnly, OtherErrors: contract.ClassFatal}, text, contract.CodeToolFatal},
		"a masked error": {contract.Base{Effect: risk.ReadOnly}, text, contract.CodeInternalError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEra(t, func(t *testing.T, s sdk, e era) {
				k := newKitOf(t, s, s.Existing("logins", "", 0))
				require.NoError(t, k.server.AddTyped(k.guard, "log_in", func(_ context.Context, in credentials) (done, error) {
					return done{}, c.err(in)
				}, c.base))
				raw := k.call(e, "alice", "log_in", withSecrets)
				assert.Equal(t, c.code, sdktest.Outcome(t, raw).Code, raw)
				k.assertHidden(raw)
			})
		})
	}
}

// assertHidden reports secrets in an answer and in the audit log.
func (k *kit) assertHidden(raw string) {
	k.t.Helper()
	events, err := json.Marshal(k.events(audit.Terminal))
	require.NoError(k.t, err)
	for _, form := range []string{"mallory77", "ghp_", "a%2Fb", "hunter22"} {
		assert.NotContains(k.t, raw, form)
		assert.NotContains(k.t, string(events), form)
	}
}

// Not even the person who approves the call sees a secret. A value that is only
// sensitive is theirs to see.
func TestAddTool_APersonSeesNoSecret(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		k := newKitOf(t, s, s.Existing("logins", "", 0))
		var got credentials
		require.NoError(t, k.server.AddTyped(k.guard, "log_in", func(_ context.Context, in credentials) (done, error) {
			got = in
			return done{true}, nil
		}, contract.Base{Effect: risk.HighRiskWrite, Permissions: []string{"notes:write"}}))
		p := whoAgrees()
		var in any
		sdktest.Unmarshal(t, withSecrets, &in)
		raw, err := k.client(e, "alice", p).Call(t.Context(), "log_in", in)
		require.NoError(t, err)
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status, raw)
		assert.Equal(t, "hunter22", got.Next[0].Password, "the handler gets what the caller sent")
		message := p.last.Load().message
		assert.Contains(t, message, "mallory77")
		assert.NotContains(t, message, "ghp_")
		assert.NotContains(t, message, "hunter22")
	})
}
