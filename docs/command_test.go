package docs_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	commandPage = "docs/command.md"
	allCommands = "cmd/toolcontract/testdata/commands.txt"
)

var commandBlock = regexp.MustCompile("(?s)(<!-- from " + regexp.QuoteMeta(allCommands) + " -->\n```text\n)(.*?)(```)")

// The page has every command as -h prints it, which a test of the command
// records. This test may write the page, so it runs before the parallel tests
// read it.
func TestCommandPage_HasEveryCommand(t *testing.T) {
	text := read(t, commandPage)
	recorded := read(t, allCommands)
	want := commandBlock.ReplaceAllStringFunc(text, func(part string) string {
		m := commandBlock.FindStringSubmatch(part)
		return m[1] + recorded + m[3]
	})
	require.Contains(t, want, recorded)
	if *update {
		require.NoError(t, os.WriteFile(commandPage, []byte(want), 0o644))
		text = want
	}
	sameText(t, want, text, commandPage)
}
