package derive_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
)

type choice struct{}

func TestDerive_BoundsAChoiceToOneMember(t *testing.T) {
	t.Parallel()
	type payment struct {
		_    choice
		Card *leaf   `json:"card,omitempty"`
		IBAN *string `json:"iban,omitempty" contract:"sensitive"`
	}
	raw, problems := derive.Derive(reflect.TypeFor[payment](), schema.Input, derive.Options{OneOf: reflect.TypeFor[choice]()})
	require.Empty(t, problems)
	assert.JSONEq(t, `{"type":"object","additionalProperties":false,"minProperties":1,"maxProperties":1,"properties":{
		"card":{"type":"object","properties":{"name":{"type":"string"}},"additionalProperties":false,"required":["name"]},"iban":{"type":"string"}}}`, string(raw))

	none := func(f reflect.StructField) bool { return f.Name == "Card" }
	raw, problems = derive.Derive(reflect.TypeFor[payment](), schema.Output, derive.Options{OneOf: reflect.TypeFor[choice](),
		Keep: none})
	require.Empty(t, problems)
	assert.NotContains(t, string(raw), "minProperties", "the chosen member may be one that is not published")
}

func TestDerive_RefusesAChoiceThatIsNone(t *testing.T) {
	t.Parallel()
	type named struct {
		Choice choice `json:"-"`
		A      *int   `json:"a,omitempty"`
		B      *int   `json:"b,omitempty"`
	}
	type Embedded struct {
		_ choice
		A *int `json:"a,omitempty"`
		B *int `json:"b,omitempty"`
	}
	for name, of := range map[string]reflect.Type{
		"a named marker": reflect.TypeFor[named](),
		"one member": reflect.TypeFor[struct {
			_ choice
			A *int `json:"a,omitempty"`
		}](),
		"a value": reflect.TypeFor[struct {
			_ choice
			A *int `json:"a,omitempty"`
			B int  `json:"b,omitempty"`
		}](),
		"a pointer that is always written": reflect.TypeFor[struct {
			_ choice
			A *int `json:"a,omitempty"`
			B *int `json:"b" jsonschema:"nullable"`
		}](),
		"a required member": reflect.TypeFor[struct {
			_ choice
			A *int `json:"a,omitempty"`
			B *int `json:"b,omitempty" jsonschema:"required"`
		}](),
		"a default": reflect.TypeFor[struct {
			_ choice
			A *int `json:"a,omitempty"`
			B *int `json:"b,omitempty" jsonschema:"default=1"`
		}](),
		"null": reflect.TypeFor[struct {
			_ choice
			A *int `json:"a,omitempty"`
			B *int `json:"b,omitempty" jsonschema:"nullable"`
		}](),
		"an embedded choice": reflect.TypeFor[struct {
			Embedded
			C int `json:"c"`
		}](),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := derive.Derive(of, schema.Input, derive.Options{OneOf: reflect.TypeFor[choice]()})
			require.NotEmpty(t, problems)
			assert.Equal(t, derive.RuleOneOf, problems[0].Rule)
		})
	}
}
