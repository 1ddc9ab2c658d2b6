package strictjson_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Types whose members encoding/json defines. Every field is exported if it can
// be, so that only its rules hide fields.
type (
	plain struct {
		A       string
		B       int    `json:"b"`
		C       bool   `json:",omitempty"`
		D       string `json:"-"`
		E       string `json:"-,"`
		F       string `json:"f,omitzero"`
		G       int    `json:"g,string"`
		H       *int   `json:"h"`
		private int
		_       int
		Ärger   string
	}
	inner struct {
		A string `json:"a"`
		X string
	}
	deeper struct {
		inner
		Y string
	}
	private struct {
		P string `json:"p"`
	}
	Public struct {
		Q string `json:"q"`
	}
	promoted struct {
		Z string
		inner
		Y string
	}
	promotedTwice struct{ deeper }
	shadowing     struct {
		inner
		A string `json:"a"`
	}
	shadowedByName struct {
		inner
		Other string `json:"X"`
	}
	Left     struct{ Same string }
	Right    struct{ Same string }
	conflict struct {
		Left
		Right
		Own string
	}
	TaggedLeft struct {
		Same string `json:"Same"`
	}
	taggedWins struct {
		TaggedLeft
		Right
	}
	TaggedRight struct {
		Same string `json:"Same"`
	}
	conflictBelow struct {
		Left
		Right
		Deep struct{ Same string }
	}
	named struct {
		inner `json:"in"`
		Y     string
	}
	exportedNamed struct {
		Public `json:"pub"`
	}
	pointers struct {
		*Public
		Y *string `json:"y"`
	}
	unexportedEmbedded struct {
		private
		Y string
	}
	Text          string
	text          string //nolint:unused // embedded, and so not a member
	embeddedKinds struct {
		Text
		text
		Y string
	}
	embeddedInterface struct {
		error
		Y string
	}
	Recursive struct {
		*Recursive
		Name string
	}
	nameless struct {
		A string `json:",omitempty"`
		B string `json:","`
		C string `xml:"c"`
	}
	withTime struct {
		At   time.Time     `json:"at"`
		Took time.Duration `json:"took"`
	}
	generic[T any] struct {
		Public
		Value T `json:"value"`
	}
	empty struct{}
)

func TestOf_NamesWhatEncodingJSONWrites(t *testing.T) {
	t.Parallel()
	kinds := conflicts()
	for _, v := range []any{
		plain{}, promoted{}, promotedTwice{}, shadowing{}, shadowedByName{}, conflict{}, taggedWins{}, conflictBelow{}, named{},
		exportedNamed{}, pointers{}, unexportedEmbedded{}, embeddedKinds{}, embeddedInterface{}, Recursive{}, nameless{},
		withTime{}, generic[int]{}, generic[inner]{}, empty{},
	} {
		kinds[reflect.TypeOf(v).Name()] = reflect.TypeOf(v)
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			filled := reflect.New(kind).Elem()
			fill(filled, 2)
			data, err := json.Marshal(filled.Interface())
			require.NoError(t, err)
			var members map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(data, &members))

			var names []string
			for _, f := range strictjson.FieldsOf(kind) {
				names = append(names, f.Name)
				assert.Equal(t, kind.FieldByIndex(f.Struct.Index).Name, f.Struct.Name, "the index leads to the field")
			}
			want := make([]string, 0, len(members))
			for name := range members {
				want = append(want, name)
			}
			assert.ElementsMatch(t, want, names, "%s", data)
		})
	}
}

// conflicts are types with one name twice, which vet does not let be written.
func conflicts() map[string]reflect.Type {
	embedded := func(t reflect.Type) reflect.StructField {
		return reflect.StructField{Name: t.Name(), Type: t, Anonymous: true}
	}
	tagged := func(name, tag string) reflect.StructField {
		return reflect.StructField{Name: name, Type: reflect.TypeFor[string](), Tag: reflect.StructTag(tag)}
	}
	left, right := embedded(reflect.TypeFor[TaggedLeft]()), embedded(reflect.TypeFor[TaggedRight]())
	return map[string]reflect.Type{
		"two fields of one name": reflect.StructOf([]reflect.StructField{
			tagged("A", `json:"same"`), tagged("B", `json:"same"`), tagged("C", ""),
		}),
		"two embedded of one name":  reflect.StructOf([]reflect.StructField{left, right, embedded(reflect.TypeFor[Right]())}),
		"a third above the two":     reflect.StructOf([]reflect.StructField{left, right, tagged("Above", `json:"Same"`)}),
		"a tag that is another's":   reflect.StructOf([]reflect.StructField{tagged("A", `json:"B"`), tagged("B", "")}),
		"two tags that change name": reflect.StructOf([]reflect.StructField{tagged("A", `json:"B"`), tagged("B", `json:"A"`)}),
	}
}

// fill sets every field that it can to something that omitempty keeps.
func fill(v reflect.Value, depth int) {
	if depth < 0 || !v.CanSet() && v.Kind() != reflect.Struct {
		return
	}
	switch v.Kind() { //nolint:exhaustive // the kinds of the types above
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for _, field := range v.Fields() {
			fill(field, depth)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth-1)
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	}
}

func TestOf_KeepsTheOrderOfTheDeclaration(t *testing.T) {
	t.Parallel()
	names := func(v any) []string {
		var names []string
		for _, f := range strictjson.FieldsOf(reflect.TypeOf(v)) {
			names = append(names, f.Name)
		}
		return names
	}
	want := []string{"Z", "a", "X", "Y"}
	for range 20 {
		require.Equal(t, want, names(promoted{}))
	}
	assert.Equal(t, []string{"A", "b", "C", "-", "f", "g", "h", "Ärger"}, names(plain{}))
	data, err := json.Marshal(promoted{})
	require.NoError(t, err)
	assert.Equal(t, `{"Z":"","a":"","X":"","Y":""}`, string(data), "as encoding/json does")
}

func TestOf_ReadsTheOptions(t *testing.T) {
	t.Parallel()
	var optional, quoted []string
	for _, f := range strictjson.FieldsOf(reflect.TypeFor[plain]()) {
		if f.Optional() {
			optional = append(optional, f.Name)
		}
		if f.Quoted() {
			quoted = append(quoted, f.Name)
		}
	}
	assert.Equal(t, []string{"C", "f"}, optional)
	assert.Equal(t, []string{"g"}, quoted)
}

func TestOf_LeadsThroughEmbeddedStructs(t *testing.T) {
	t.Parallel()
	fields := strictjson.FieldsOf(reflect.TypeFor[promotedTwice]())
	indexes := make([][]int, 0, len(fields))
	for _, f := range fields {
		indexes = append(indexes, slices.Clone(f.Struct.Index))
	}
	assert.Equal(t, [][]int{{0, 0, 0}, {0, 0, 1}, {0, 1}}, indexes)
}
