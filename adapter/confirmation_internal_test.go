package adapter

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Only a form that asks for nothing but a yes is answered.
func TestAgreement_AnswersOnlyAPlainConfirmation(t *testing.T) {
	t.Parallel()
	a := &Agreement{fields: []string{"confirm"}}
	const plain = `"type":"object","properties":{"confirm":{"type":"boolean"}}`
	for params, want := range map[string]bool{
		`{"requestedSchema":{` + plain + `}}`:                                                          true,
		`{"mode":"form","requestedSchema":{` + plain + `,"required":["confirm"]}}`:                     true,
		`{"requestedSchema":{` + plain + `,"title":"t","description":"d","$schema":"s"}}`:              true,
		`{"requestedSchema":{` + plain + `,"minProperties":2}}`:                                        false,
		`{"requestedSchema":{` + plain + `,"allOf":[{"required":["name"]}]}}`:                          false,
		`{"requestedSchema":{` + plain + `,"patternProperties":{"n":{}}}}`:                             false,
		`{"requestedSchema":{` + plain + `,"required":["name"]}}`:                                      false,
		`{"mode":"url","requestedSchema":{` + plain + `}}`:                                             false,
		`{"url":"https://login.example","requestedSchema":{` + plain + `}}`:                            false,
		`{"mode":"form","url":"https://login.example","requestedSchema":{` + plain + `}}`:              false,
		`{"requestedSchema":{"type":"object","properties":{"confirm":{"type":"string"}}}}`:             false,
		`{"requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean"},"other":{}}}}`: false,
	} {
		content, ok := a.Content(json.RawMessage(params))
		assert.Equal(t, want, ok, params)
		assert.Equal(t, want, content != nil, params)
	}
}
