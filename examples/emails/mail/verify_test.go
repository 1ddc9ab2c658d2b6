package mail

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/contracttest"
)

func TestTools_DoWhatTheirContractsDeclare(t *testing.T) {
	t.Parallel()
	message := Message{To: []string{"anna@example.com"}, Subject: "Tea", Body: "Shall we drink some tea?"}
	refused := Message{To: []string{"anna@invalid.example"}, Subject: "Tea", Body: "Shall we drink some tea?"}
	cases := map[string][]contracttest.VerifyOption{
		"emails.create_draft":      {contracttest.Case{Input: message}, contracttest.Case{Name: "refused", Input: refused}},
		"emails.send_external":     {contracttest.Case{Input: message}, contracttest.Case{Name: "refused", Input: refused}},
		"secrets.read_private_key": {contracttest.WithAccepted("failure.undeclared", "The example has no key, and no agent reaches the handler.")},
		"files.create_download_link": {
			contracttest.Case{Input: LinkInput{FileID: "f_1", ExpiresAt: time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)}},
			contracttest.Case{Name: "past", Input: LinkInput{FileID: "f_1", ExpiresAt: time.Unix(0, 0).UTC()}},
		},
	}
	tools, err := new(Post).Tools()
	require.NoError(t, err)
	for i, tool := range tools {
		t.Run(tool.Name(), func(t *testing.T) {
			t.Parallel()
			fresh := contracttest.WithFixture(func(t testing.TB) contracttest.Fixture {
				post := &Post{}
				all, err := post.Tools()
				require.NoError(t, err)
				return contracttest.Fixture{Tool: all[i], State: func() any { return post }}
			})
			contracttest.Verify(t, tool, append(cases[tool.Name()], fresh)...)
		})
	}
}
