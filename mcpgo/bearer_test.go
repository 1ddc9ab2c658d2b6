package mcpgo_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// askWith calls a tool that needs a principal, with the given headers. It
// returns the code of the answer and the tokens that were verified.
func askWith(t *testing.T, header http.Header) (code string, verified []string) {
	t.Helper()
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithPrincipal(mcpgo.Bearer(func(_ context.Context,
		token string) (guard.Principal, error) {
		verified = append(verified, token)
		switch token {
		case "anonymous":
			return guard.Principal{Issuer: "test", Permissions: []string{"notes:write"}}, nil
		case "down":
			return guard.Principal{}, errors.Join(errors.New("no route"), guard.ErrUnavailable)
		case "panic":
			panic(token)
		case "bad":
			return guard.Principal{Subject: "ignored", Permissions: []string{"notes:write"}}, errors.New("expired")
		}
		return guard.Principal{Issuer: "test", Subject: token, Permissions: []string{"notes:write"}}, nil
	})))
	require.NoError(t, err)
	s, err := mcpgo.NewServer("s", "1.0.0", g, asWritten(mcpgo.WithTools((&tools{}).Note(nil).MustBuild()))...)
	require.NoError(t, err)
	result, err := s.GetTool("notes.write").Handler(t.Context(), mcp.CallToolRequest{
		Header: header, Params: mcp.CallToolParams{RawArguments: []byte(`{"text":"x"}`)},
	})
	require.NoError(t, err)
	o, ok := result.Meta.AdditionalFields[contract.MetaKeyOutcome].(contract.Outcome)
	require.True(t, ok)
	return o.Code, verified
}

func TestBearer_AcceptsOneWellFormedToken(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header   []string
		code     string
		verified []string
	}{
		"a token":                         {[]string{"Bearer alice"}, "", []string{"alice"}},
		"the scheme in any case":          {[]string{"bEARER alice"}, "", []string{"alice"}},
		"several spaces":                  {[]string{"Bearer   alice"}, "", []string{"alice"}},
		"every character of a token":      {[]string{"Bearer aZ09-._~+/=="}, "", []string{"aZ09-._~+/=="}},
		"no header":                       {nil, "unauthenticated", nil},
		"an empty header":                 {[]string{""}, "unauthenticated", nil},
		"the scheme alone":                {[]string{"Bearer"}, "unauthenticated", nil},
		"the scheme and a space":          {[]string{"Bearer "}, "unauthenticated", nil},
		"another scheme":                  {[]string{"Basic YTpi"}, "unauthenticated", nil},
		"no scheme":                       {[]string{"alice"}, "unauthenticated", nil},
		"a scheme that begins alike":      {[]string{"BearerX alice"}, "unauthenticated", nil},
		"a tab instead of a space":        {[]string{"Bearer\talice"}, "unauthenticated", nil},
		"two tokens":                      {[]string{"Bearer alice bob"}, "unauthenticated", nil},
		"two credentials in one header":   {[]string{"Bearer alice, Bearer bob"}, "unauthenticated", nil},
		"a comma in a token":              {[]string{"Bearer alice,bob"}, "unauthenticated", nil},
		"two headers":                     {[]string{"Bearer alice", "Bearer alice"}, "unauthenticated", nil},
		"two headers, one of them empty":  {[]string{"Bearer alice", ""}, "unauthenticated", nil},
		"a character outside the grammar": {[]string{"Bearer al\u00efce"}, "unauthenticated", nil},
		"only padding":                    {[]string{"Bearer =="}, "unauthenticated", nil},
		"padding in the middle":           {[]string{"Bearer a=b"}, "unauthenticated", nil},
		"a line break":                    {[]string{"Bearer alice\n"}, "unauthenticated", nil},
		"an invalid token":                {[]string{"Bearer bad"}, "unauthenticated", []string{"bad"}},
		"a token without a subject":       {[]string{"Bearer anonymous"}, "unauthenticated", []string{"anonymous"}},
		"an unavailable verifier":         {[]string{"Bearer down"}, "unavailable", []string{"down"}},
		"a verifier that panics":          {[]string{"Bearer panic"}, "unavailable", []string{"panic"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, verified := askWith(t, http.Header{"Authorization": test.header})
			assert.Equal(t, test.code, code)
			assert.Equal(t, test.verified, verified)
		})
	}
	t.Run("no headers at all", func(t *testing.T) {
		t.Parallel()
		code, verified := askWith(t, nil)
		assert.Equal(t, "unauthenticated", code)
		assert.Empty(t, verified)
	})
}

func TestBearer_MalformedHeaderIsNotAnonymous(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All())
	sdktest.EachEra(t, func(t *testing.T, e era) {
		body := sdktest.Message(t, e, 1, "tools/call", `{"name":"calc.add","arguments":{"a":1}}`)
		sdktest.AssertRefused(t, k.post(e, "", "tools/call", "calc.add", body, "Authorization", "Basic YTpi"), "unauthenticated")
		sdktest.AssertRefused(t, k.post(e, "anonymous", "tools/call", "calc.add", body), "unauthenticated")
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, k.post(e, "", "tools/call", "calc.add", body)).Status)
	})
	assert.EqualValues(t, 2, n.Adds.Load())
}

func TestBearer_WithoutVerifierIsRefused(t *testing.T) {
	t.Parallel()
	_, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(nil)))
	require.Error(t, err)
}
