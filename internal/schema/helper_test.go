package schema_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func compiled(t testing.TB, of reflect.Type, dir schema.Direction) *schema.Schema {
	t.Helper()
	raw, problems := derive.Derive(of, dir, derive.Options{})
	require.Empty(t, problems)
	return compile(t, string(raw))
}

func compile(t testing.TB, raw string) *schema.Schema {
	t.Helper()
	s, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{})
	require.Empty(t, problems)
	return s
}

func modern(raw string, lenient bool) (newest json.RawMessage, converted bool, problems []schema.Problem) {
	text, converted, problems := schema.Modern(tree.NewText(json.RawMessage(raw)), lenient)
	return text.Raw, converted, problems
}

func parse(t testing.TB, text string) any {
	t.Helper()
	tree, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	require.NoError(t, err)
	return tree
}

// rules returns violations as "rule pointer".
func rules(violations []schema.Violation) []string {
	var list []string
	for _, v := range violations {
		list = append(list, v.Rule+" "+v.Pointer)
	}
	return list
}

func problemRules(problems []schema.Problem) []string {
	var list []string
	for _, p := range problems {
		list = append(list, p.Rule+" "+p.Field)
	}
	return list
}
