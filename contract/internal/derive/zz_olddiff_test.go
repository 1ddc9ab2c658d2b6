package derive_test

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract/internal/derive"
	"github.com/toolcontract/toolcontract/contract/internal/oldschema"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
)

func olddiff(t *testing.T, name string, of reflect.Type, dir int, opts derive.Options) bool {
	raw, problems := derive.Derive(of, schema.Direction(dir), opts)
	old, oldProblems := oldschema.Derive(of, oldschema.Direction(dir), oldschema.Options(opts))
	return assert.Equal(t, fmt.Sprintln(string(old), oldProblems), fmt.Sprintln(string(raw), problems), name)
}

func TestOldDiff(t *testing.T) {
	for _, c := range corpus() {
		for dir := range 3 {
			if !olddiff(t, c.name, c.of, dir, c.opts) {
				return
			}
		}
	}
}

func TestOldDiffRandom(t *testing.T) {
	var types []reflect.Type
	for _, c := range corpusKinds() {
		types = append(types, c.of.Field(0).Type)
	}
	var tags []string
	for _, c := range corpusTags() {
		tags = append(tags, string(c.of.Field(0).Tag))
	}
	words := []string{"title", "=", ",", `\\,`, "a", "1", "minimum", "default", "enum", "maxLength", "pattern", "^[a]{1,2}$", "required", "-", "x-a", "true", `\\`, " ", "example", "minItems", "format", "date", "2.50", "readOnly"}
	for seed := range int64(30000) {
		r := rand.New(rand.NewSource(seed))
		var fields []reflect.StructField
		for i := range 1 + r.Intn(4) {
			f := reflect.StructField{Name: string(rune('A' + i)), Type: types[r.Intn(len(types))]}
			switch r.Intn(4) {
			case 0:
				f.Tag = reflect.StructTag(tags[r.Intn(len(tags))])
				f.Tag = reflect.StructTag(strings.Replace(string(f.Tag), `json:"v`, fmt.Sprintf(`json:"v%d`, r.Intn(8)), 1))
			case 1:
				var b strings.Builder
				for range r.Intn(9) {
					b.WriteString(words[r.Intn(len(words))])
				}
				key := []string{"jsonschema", "jsonschema_extras", "json", "jsonschema_description"}[r.Intn(4)]
				f.Tag = reflect.StructTag(key + `:"` + b.String() + `"`)
			}
			fields = append(fields, f)
		}
		if !olddiff(t, fmt.Sprint(seed, fields), reflect.StructOf(fields), r.Intn(3), derive.Options{}) {
			return
		}
	}
}
