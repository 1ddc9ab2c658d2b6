package diff

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract/compat"
)

func TestMarkdown_HasARowForEachWeakerOrBreakingChange(t *testing.T) {
	t.Parallel()
	found := compared{
		Downgrade: true,
		Allowed:   map[string]string{"numbers.sum": "Sums are public."},
		Changes: []compat.Change{
			{Tool: "numbers.add", Rule: "tool.removed", Class: compat.Breaking, Reason: "Callers find no tool."},
			{
				Tool: "numbers.sum", Pointer: "/permissions", Rule: "permission.removed", Class: compat.Additive, Downgrade: true,
				Reason: "Less.",
			},
			{Tool: "numbers.sum", Rule: "title.changed", Class: compat.Patch, Reason: "A text."},
		},
		Versions: []string{"numbers.sum: raise it."},
	}
	assert.Equal(t, `### Contracts: not compatible; a version was not raised enough; `+
		`a declared protection is weaker than before, which is allowed

| tool | change | where | why |
|---|---|---|---|
| `+"`numbers.add`"+` | breaking, `+"`tool.removed`"+` |  | Callers find no tool. |
| `+"`numbers.sum`"+` | weaker (allowed\: Sums are public.), `+"`permission.removed` | `/permissions`"+` | Less. |

- numbers\.sum\: raise it.

1 other change is compatible.
`, markdown(found))
	assert.Equal(t, "### Contracts: the recorded contracts are equal\n", markdown(compared{Compatible: true}))
}

func TestMarkdown_ShowsUntrustedTextLiterally(t *testing.T) {
	t.Parallel()
	hostile := "x|`<img src=//a.example>\n# [a](https://b.example) @team ![](c) www.d.example \x1b[31m&lt;"
	change := compat.Change{Tool: hostile, Pointer: "/" + hostile, Class: compat.Breaking, Reason: hostile}
	text := markdown(compared{Changes: []compat.Change{change}})
	rows := strings.Split(strings.TrimSpace(text), "\n")
	row := rows[len(rows)-1]
	assert.Equal(t, 5, strings.Count(row, "|")-strings.Count(row, `\|`), row)
	for _, active := range []string{"<", "@", "\x1b", "www.d", "https:", "[a]"} {
		assert.NotContains(t, strings.ReplaceAll(row, `\[a\]`, ""), active)
	}
}
