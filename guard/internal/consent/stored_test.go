package consent

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
)

// Records and states outlive a release, and replicas of two releases share
// them.
func TestStored_FormsDoNotChange(t *testing.T) {
	t.Parallel()
	at := time.Unix(1, 0).UTC()
	alice := people.PrincipalName{Issuer: "test", Tenant: "acme", Subject: "alice"}
	const name = `{"Issuer":"test","Tenant":"acme","Subject":"alice","Permissions":null,"Human":false,` +
		`"AuthTime":"0001-01-01T00:00:00Z","ACR":""}`
	const noQuestion = `{"Message":"m","Label":"","Title":"","Facts":null,"Effects":null,"Arguments":null,"NotShown":0,` +
		`"Preview":null,"PreviewNotShown":0,"URL":"","ID":""}`
	asked := audit.Event{Time: at, Kind: audit.Asked, CallID: "c", Tool: "pay"}
	event, err := json.Marshal(asked)
	require.NoError(t, err)
	for want, stored := range map[string]any{
		`{"Token":"t","Question":` + noQuestion + `,"Tool":"pay","Risk":"high","Principal":` + name + `,"CallID":"c",` +
			`"Issued":"1970-01-01T00:00:01Z","Expires":"1970-01-01T00:00:01Z","Decision":null,"ID":"i","Arguments":"a","Event":` +
			string(event) + `}`: storedForm{
			Token: "t", Question: people.Question{Message: "m"}, Tool: "pay", Risk: risk.High, Principal: storedName{PrincipalName: alice},
			CallID: "c",
			Issued: at, Expires: at, ID: "i", Arguments: "a", Event: asked,
		},
		`{"Approved":true,"By":` + name + `,"At":"1970-01-01T00:00:01Z"}`: storedRuling{Approved: true,
			By: storedName{PrincipalName: alice}, At: at},
		`{"At":"1970-01-01T00:00:01Z","ACR":"mfa"}`:              Authenticated{At: at, ACR: "mfa"},
		`{"At":"0001-01-01T00:00:00Z","ACR":"","Disowned":true}`: Authenticated{Disowned: true},
		`{"iat":1,"exp":2,"aud":"a","tool":"t","contract":"c","args":"g","sub":"s","call":"i","nonce":"n"}`: QuestionState{
			StateHeader: StateHeader{Issued: 1, Expires: 2, Audience: "a", Tool: "t", Contract: "c", Arguments: "g", Principal: "s",
				CallID: "i", Nonce: "n"},
		},
		`{"iat":0,"exp":0,"aud":"","tool":"","contract":"","terms":"t","args":"","sub":"","call":"","nonce":"","bad":1,"word":"w",` +
			`"yes":true,"up":"u","credit":"c"}`: QuestionState{
			StateHeader: StateHeader{Terms: "t"}, formState: formState{Malformed: 1, Word: "w"}, Confirmed: true, StepUp: "u", Credit: "c",
		},
		`{"exp":1,"sub":"s","age":2,"acr":"mfa","nonce":"n","call":"c","tool":"t","event":"e","risk":"high","effect":"read-only",` +
			`"version":"v","contract":"d","args":"a","exact":"x"}`: stepUpClaims{
			Expires: 1, Principal: "s", MaxAge: 2, ACR: "mfa", Nonce: "n", CallID: "c", Tool: "t", AuditEvent: "e", Risk: risk.High,
			Effect:  risk.ReadOnly,
			Version: "v", Contract: "d", Arguments: "a", Exact: "x",
		},
	} {
		raw, err := json.Marshal(stored)
		require.NoError(t, err)
		assert.Equal(t, want, string(raw))
	}
}
