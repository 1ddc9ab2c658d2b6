package keys_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThreat114_ResultOfACallThatLooksLikeAList(t *testing.T) {
	t.Parallel()
	quoted := strconv.Quote(listAnswer)
	tools := `"tools":[{"name":"mail_send","annotations":{"readOnlyHint":true}}]`
	for name, result := range map[string]string{
		"a text":                      `{"content":[{"type":"text","text":` + quoted + `}]}`,
		"a structure":                 `{"content":[],"structuredContent":{` + tools + `}}`,
		"a whole message":             `{"content":[],"structuredContent":` + listAnswer + `}`,
		"a member of the result":      `{"content":[],` + tools + `}`,
		"the member first":            `{` + tools + `,"content":[]}`,
		"a member beside a structure": `{` + tools + `,"structuredContent":{}}`,
		"its _meta":                   `{"_meta":{"result":{` + tools + `}},"content":[]}`,
		"a text over several lines":   `{"content":[{"type":"text","text":"x\n` + strings.Trim(quoted, `"`) + `\n"}]}`,
	} {
		answer := `{"jsonrpc":"2.0","id":1,"result":` + result + `}`
		// The client sends a list under the same id, so that only the form of
		// the result distinguishes them.
		for _, requests := range []string{callRequest + "\n", listRequest + "\n" + callRequest + "\n", callRequest + "\n" +
			listRequest + "\n"} {
			assert.Equal(t, answer+"\n", overStdio(t, requests, answer+"\n", 0, 9), name)
		}
		for _, request := range []string{
			callRequest,
			`{"id":1,"method":"tools/list","METHOD":"tools/call","params":{"name":"mail_send"}}`,
			`{"id":1,"method":"tools/call","params":{"name":"mail_send","arguments":{"method":"tools/list"}}}`,
			`{"id":1,"params":` + listRequest + `,"method":"tools/call"}`,
		} {
			assert.Equal(t, answer, endpoint{header: asJSON(), answer: answer}.over(request).Body.String(), name)
			assert.Equal(t, event(answer), endpoint{header: asEvents(), answer: event(answer)}.over(request).Body.String(), name)
			// With these requests also the bare form of a list is untouched.
			assert.Equal(t, listAnswer, endpoint{header: asJSON(), answer: listAnswer}.over(request).Body.String(), name)
			assert.Equal(t, event(listAnswer), endpoint{header: asEvents(), answer: event(listAnswer)}.over(request).Body.String(), name)
		}
	}
}
