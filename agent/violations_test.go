package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/contract"
)

func TestTool_ViolationsShowWhereArgumentsBreakTheSchema(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","required":["to","count"],"additionalProperties":false,"properties":{
		"to":{"type":"string"},"count":{"type":"integer","maximum":9,"default":1}}}`
	for name, test := range map[string]struct {
		schema, arguments string
		want              map[string]string // the rule of each pointer
	}{
		"good":              {schema, `{"to":"anna"}`, map[string]string{}},
		"a wrong type":      {schema, `{"to":7}`, map[string]string{"/to": "schema.type"}},
		"a large number":    {schema, `{"to":"anna","count":10}`, map[string]string{"/count": "schema.maximum"}},
		"no JSON":           {schema, `{"to":`, map[string]string{"": "schema.json"}},
		"two meanings":      {schema, `{"to":"a","to":"b"}`, map[string]string{"": "schema.json"}},
		"a server's schema": {`{"type":"nonsense"}`, `{"to":7}`, map[string]string{}},
		"an older schema": {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"to":{"const":"x"}}}`,
			`{"to":7}`, map[string]string{"/to": "schema.const"}},
	} {
		tool := agent.Tool{Contract: contract.Document{InputSchema: json.RawMessage(test.schema)}}
		found := map[string]string{}
		for _, v := range tool.Violations(json.RawMessage(test.arguments)) {
			found[v.Pointer] = v.Rule
			assert.NotContains(t, v.Message, "10", name)
		}
		assert.Equal(t, test.want, found, name)
	}
}
