package mail

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify"
)

func TestTools_DoWhatTheirContractsDeclare(t *testing.T) {
	t.Parallel()
	message := Message{To: []string{"anna@example.com"}, Subject: "Tea", Body: "Shall we drink some tea?"}
	refused := Message{To: []string{"anna@invalid.example"}, Subject: "Tea", Body: "Shall we drink some tea?"}
	cases := map[string][]verify.Option{
		"emails.create_draft":  {verify.Case{Input: message}, verify.Case{Name: "refused", Input: refused}},
		"emails.send_external": {verify.Case{Input: message}, verify.Case{Name: "refused", Input: refused}},
		"secrets.read_private_key": {
			verify.WithAccepted("failure.undeclared", "The example has no key, and no agent reaches the handler."),
			verify.WithAccepted("handler.neverSucceeded", "The example has no key."),
		},
		"files.create_download_link": {
			verify.Case{Input: LinkInput{FileID: "f_1", ExpiresAt: time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)}},
			verify.Case{Name: "past", Input: LinkInput{FileID: "f_1", ExpiresAt: time.Unix(0, 0).UTC()}},
		},
	}
	tools, err := new(Post).Tools()
	require.NoError(t, err)
	for i, tool := range tools {
		t.Run(tool.Name(), func(t *testing.T) {
			t.Parallel()
			fresh := verify.WithFixture(func(t testing.TB) verify.Fixture {
				post := &Post{}
				all, err := post.Tools()
				require.NoError(t, err)
				return verify.Fixture{Tool: all[i], State: func() any { return post }}
			})
			verify.Tool(t, tool, append(cases[tool.Name()], fresh)...)
		})
	}
}
