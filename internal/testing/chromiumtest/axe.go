package chromiumtest

import (
	"os"

	"github.com/stretchr/testify/require"
)

// axeEnv is the environment variable that names the axe-core file, which
// .ci/run installs.
const axeEnv = "TOOLCONTRACT_AXE"

// Axe returns the axe-core rules the page breaks, with the first offending
// element for each. It leaves out rules of minor impact. It needs
// [Browser.RunScripts]. If axe-core isn't installed, it returns nothing.
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
