package chromiumtest

import (
	"os"

	"github.com/stretchr/testify/require"
)

// axeEnv is the environment variable with the file of axe-core, which .ci/run
// installs.
const axeEnv = "TOOLCONTRACT_AXE"

// Axe returns the rules of axe-core that the page breaks, with the first
// element that breaks each. Rules of a minor impact are left out. It needs
// [Browser.RunScripts]. If axe-core is not installed, it returns nothing.
func (b *Browser) Axe() []string {
	b.t.Helper()
	file := os.Getenv(axeEnv)
	if file == "" {
		b.t.Log("axe-core is not checked: " + axeEnv + " is not set to its file")
		return nil
	}
	source, err := os.ReadFile(file)
	require.NoError(b.t, err)
	b.Evaluate(string(source)+"\n;0", nil)
	var found []string
	b.Evaluate(`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations
		.filter(v => v.impact !== "minor")
		.map(v => v.impact + " " + v.id + ": " + v.help + ": " + v.nodes[0].html))`, &found)
	return found
}
