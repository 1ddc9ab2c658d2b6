package schema_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// below returns a schema 30 levels below properties with names of 1000 bytes.
func below(text string) string {
	for range 30 {
		text = `{"properties":{"` + strings.Repeat("n", 1000) + `":` + text + `}}`
	}
	return strings.Replace(text, "{", `{"type":"object",`, 1)
}

func many(format string, n int) string {
	var list strings.Builder
	for i := range n {
		if i > 0 {
			list.WriteByte(',')
		}
		fmt.Fprintf(&list, format, i)
	}
	return list.String()
}

// Another server's catalogue has schemas of up to 256 KiB. Each pointer
// contains the names of the schemas above it. This test is not parallel,
// because it measures memory.
func TestThreat144_SchemasBelowLongNamesTakeNoMoreMemoryThanTheirText(t *testing.T) {
	const most = 128 << 20 // total allocations, including what was freed again
	for name, raw := range map[string]string{
		"empty branches":   below(`{"anyOf":[` + strings.TrimSuffix(strings.Repeat("{},", 20_000), ",") + `]}`),
		"fewer branches":   below(`{"anyOf":[` + strings.TrimSuffix(strings.Repeat("{},", 9_000), ",") + `]}`),
		"unknown keywords": below(`{` + many(`"a%d":0`, 20_000) + `}`),
		"wrong patterns":   below(`{"patternProperties":{` + many(`"(%d":true`, 200) + `}}`),
		"wrong keywords":   below(`{"anyOf":[` + many(`{"minLength":-%d,"pattern":"("}`, 200) + `]}`),
		"wrong examples":   below(`{"type":"string","examples":[` + many("%d", 20_000) + `]}`),
		"hidden texts":     below(`{"examples":[` + many("\"\u202e%d\"", 12_000) + `]}`),
		"hidden names":     below(`{"const":{` + many("\"\u202e%d\":0", 12_000) + `}}`),
	} {
		for _, lenient := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, lenient %t", name, lenient), func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				text, _ := schema.CleanTexts(json.RawMessage(raw))
				modern, _, _ := schema.Modern(tree.NewText(text), lenient)
				modern, _ = schema.Uncheck(modern)
				for _, text := range []json.RawMessage{modern.Raw, json.RawMessage(raw)} {
					s, problems := schema.Compile(text, schema.CompileOptions{Lenient: lenient})
					assert.True(t, s != nil || len(problems) > 0)
				}
				runtime.ReadMemStats(&after)
				assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(most))
				assert.Less(t, len(raw), 256<<10)
			})
		}
	}
}
