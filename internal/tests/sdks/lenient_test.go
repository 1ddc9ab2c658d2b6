package sdks_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// Hosts add members of their own to the arguments of a tool that has none.
func TestLenient_AToolWithoutArgumentsDropsWhatAHostAdds(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := newKit(t, s, asWritten(wordTool("word.lenient", "one").Lenient(contract.HostMember).MustBuild(),
			wordTool("word.strict", "two").MustBuild()))
		sdktest.EachEra(t, func(t *testing.T, e era) {
			for _, arguments := range []string{`{"toolCallId":"call_1"}`, `{"random_string":"x"}`} {
				assert.Equal(t, "one", firstText(t, k.call(e, "bob", "word.lenient", arguments)))
				sdktest.AssertRefused(t, k.call(e, "bob", "word.strict", arguments), contract.CodeInvalidInput)
			}
			o := sdktest.Outcome(t, k.call(e, "bob", "word.lenient", `{"toolCallId":"call_1"}`))
			assert.Equal(t, []contract.Reading{{Pointer: "/toolCallId", As: contract.HostMember}}, o.Readings)
			sdktest.AssertRefused(t, k.call(e, "bob", "word.lenient", `{"other":"x"}`), contract.CodeInvalidInput)
		})
	})
}
