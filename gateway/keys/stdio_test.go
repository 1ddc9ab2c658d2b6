package keys_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/gateway/keys"
)

func TestStdio_WritesKeysIntoLists(t *testing.T) {
	t.Parallel()
	other := `{"jsonrpc":"2.0","id":2,"result":{"content":[],"tools":[{"name":"mail_send"}]}}` + "\n"
	for _, requests := range []string{
		listRequest + "\n" + callRequest + "\n",
		callRequest + "\r\n" + listRequest, // the last line has no line break
		strings.Repeat("x", 100<<10) + "\n" + listRequest + "\n",
	} {
		for _, in := range []int{0, 1, 7, 100} {
			for _, out := range []int{0, 1, 7, 100} {
				got := overStdio(t, requests, other+listAnswer+"\r\n"+other+listAnswer+"\n", in, out)
				assert.Equal(t, other+listWithKeys+"\r\n"+other+listAnswer+"\n", got, "one request has one answer")
			}
		}
	}
}

func TestStdio_PassesEverythingElseUnchanged(t *testing.T) {
	t.Parallel()
	long := strings.Replace(listAnswer, `"Send"`, `"`+strings.Repeat("x", 16<<20)+`"`, 1)
	for name, c := range map[string]struct{ requests, answers string }{
		"no request for a list":       {callRequest + "\n", listAnswer + "\n"},
		"a long request":              {strings.Repeat(" ", 64<<10) + listRequest + "\n", listAnswer + "\n"},
		"a result of a call":          {listRequest + "\n", `{"id":1,"result":{"content":[],"tools":[{"name":"mail_send"}]}}` + "\n"},
		"the list after such a call":  {listRequest + "\n", `{"id":1,"result":{"content":[]}}` + "\n" + listAnswer + "\n"},
		"a line that is not JSON":     {listRequest + "\n", listAnswer[1:] + "\n"},
		"a line that does not end":    {listRequest + "\n", listAnswer},
		"a long answer":               {listRequest + "\n", long + "\n"},
		"nothing":                     {listRequest + "\n", ""},
		"two messages on one line":    {listRequest + "\n", listAnswer + listAnswer + "\n"},
		"an answer in the midst":      {listRequest + "\n", "x" + listAnswer + "\n"},
		"invalid UTF-8 in the answer": {listRequest + "\n", strings.Replace(listAnswer, "Send", "\xff", 1) + "\n"},
	} {
		for _, size := range []int{0, 1 << 16} {
			same := c.answers == overStdio(t, c.requests, c.answers, size, size)
			assert.True(t, same, name) // some are too long to print
		}
	}
}

func TestStdio_ForgetsTheOldestOfManyOpenRequests(t *testing.T) {
	t.Parallel()
	var requests strings.Builder
	for id := range 300 {
		fmt.Fprintf(&requests, `{"id":%d,"method":"tools/list"}`+"\n", id)
	}
	answer := func(id int) string {
		return strings.Replace(listAnswer, `"id":1`, fmt.Sprintf(`"id":%d`, id), 1) + "\n"
	}
	want := func(id int) string {
		return strings.Replace(listWithKeys, `"id":1`, fmt.Sprintf(`"id":%d`, id), 1) + "\n"
	}
	assert.Equal(t, answer(0)+want(299), overStdio(t, requests.String(), answer(0)+answer(299), 0, 0))
}

func TestStdio_AnswerBegunBeforeTheRequestPasses(t *testing.T) {
	t.Parallel()
	var sent bytes.Buffer
	r, w := keys.Stdio(strings.NewReader(listRequest+"\n"), &sent, keysOf)
	_, err := io.WriteString(w, listAnswer[:20])
	require.NoError(t, err)
	assert.Equal(t, listAnswer[:20], sent.String(), "nothing is held while no list is open")
	_, err = io.Copy(io.Discard, r)
	require.NoError(t, err)
	_, err = io.WriteString(w, listAnswer[20:]+"\n"+listAnswer+"\n")
	require.NoError(t, err)
	assert.Equal(t, listAnswer+"\n"+listWithKeys+"\n", sent.String())
}

func TestStdio_ErrorsOfTheStreamsAreReturned(t *testing.T) {
	t.Parallel()
	r, w := keys.Stdio(io.MultiReader(strings.NewReader(listRequest+"\n"), broken{}), broken{}, keysOf)
	_, err := io.ReadAll(r)
	require.ErrorIs(t, err, io.ErrClosedPipe)
	n, err := io.WriteString(w, listAnswer+"\n")
	require.ErrorIs(t, err, io.ErrClosedPipe)
	assert.Zero(t, n)
	_, err = io.WriteString(w, "x")
	require.ErrorIs(t, err, io.ErrClosedPipe, "the list is answered, so nothing is held")
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, io.ErrClosedPipe }
func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
