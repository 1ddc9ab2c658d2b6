package gosdk_test

import (
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/gosdk"
)

// A call asks the SDK only for the tools that it needs, and the SDK lists them
// in pages.
func TestCall_FindsItsToolOnEachPageOfTheSDK(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "words", Version: "1"}, &mcp.ServerOptions{PageSize: 2})
	var given []gosdk.Option
	for i := range 7 {
		tool := wordTool(fmt.Sprintf("word.w%d", i), fmt.Sprint(i)).Aliases(fmt.Sprintf("alias.w%d", 9-i)).MustBuild()
		given = append(given, gosdk.WithTools(tool))
	}
	s.AddTool(plain("zzz"), answering("plain"))
	k := newKitOf(t, s)
	require.NoError(t, gosdk.Register(s, k.guard, given...))
	word := func(name string) string { t.Helper(); return firstText(t, k.call(legacy, "bob", name, `{}`)) }
	for i := range 7 {
		assert.Equal(t, fmt.Sprint(i), word(fmt.Sprintf("word_w%d", i)))
		assert.Equal(t, fmt.Sprint(i), word(fmt.Sprintf("alias_w%d", 9-i)))
	}
	assert.Equal(t, "plain", word("zzz"))

	foreign, handler, runs := intruder("word_w4")
	s.AddTool(foreign, handler)
	for _, name := range []string{"word_w4", "alias_w5", "word.w4", "absent"} {
		assertUnknown(t, k.call(legacy, "bob", name, `{}`), name)
	}
	assert.Zero(t, runs.Load())
	s.RemoveTools("alias_w4")
	assertUnknown(t, k.call(legacy, "bob", "alias_w4", `{}`), "alias_w4")
	assert.Equal(t, "5", word("word_w5"), "only its alias was removed")
}

func TestCall_AdoptsAToolOnEachPageOfTheSDK(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "cluster", Version: "1"}, &mcp.ServerOptions{PageSize: 2})
	add := func(name, words string) {
		s.AddTool(hinted(name, mcp.ToolAnnotations{ReadOnlyHint: true}), answering(words))
	}
	for i := range 5 {
		add(fmt.Sprintf("pods.p%d", i), fmt.Sprint(i))
	}
	k := newKitOf(t, s)
	_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: versioned()})
	require.NoError(t, err)
	add("helm.list", "later")
	add("pods.p3", "again")
	word := func(name string) string { t.Helper(); return firstText(t, k.call(legacy, "alice", name, `{}`)) }
	assert.Equal(t, "0", word("pods_p0"))
	assert.Equal(t, "later", word("helm_list"))
	assert.Equal(t, "again", word("pods_p3"))
	add("pods.p3", "third")
	assert.Equal(t, "third", word("pods_p3"))
	assert.Equal(t, "4", word("pods_p4"))
	for _, name := range []string{"pods.p0", "helm.list"} {
		assertUnknown(t, k.call(legacy, "alice", name, `{}`), name)
	}
	s.RemoveTools("pods.p4")
	assertUnknown(t, k.call(legacy, "alice", "pods_p4", `{}`), "pods_p4")
}
