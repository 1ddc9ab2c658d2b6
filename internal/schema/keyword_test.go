package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/schema"
)

func TestWithoutKeyword_KeepsPropertiesAndValuesOfItsName(t *testing.T) {
	t.Parallel()
	for was, is := range map[string]string{
		`{"x-a":1,"type":"object"}`:                            `{"type":"object"}`,
		`{"properties":{"x-a":{"x-a":"b"},"c":{"x-a":null}}}`:  `{"properties":{"x-a":{},"c":{}}}`,
		`{"allOf":[{"items":{"x-a":1}}],"$defs":{"x-a":true}}`: `{"allOf":[{"items":{}}],"$defs":{"x-a":true}}`,
		`{"const":{"x-a":1},"required":["x-a"]}`:               `{"const":{"x-a":1},"required":["x-a"]}`,
		`true`:                                                 `true`,
		`{"x`:                                                  `{"x`,
	} {
		assert.Equal(t, is, string(schema.WithoutKeyword(json.RawMessage(was), "x-a")), was)
	}
}
