package facts

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
)

// An audience that was not set must not show its tools to everyone.
func TestAudience_ZeroIncludesNoAgentAndNoAnonymousCaller(t *testing.T) {
	t.Parallel()
	var zero Audience
	assert.False(t, zero.Includes(&contract.Principal{}), "anonymous")
	assert.False(t, zero.Includes(&contract.Principal{Issuer: "i", Subject: "s"}), "an agent")
}

// A field that the key of an audience lacks would show the tools of one
// audience to the principals of another.
func TestAudiences_EachFieldMakesAnotherAudience(t *testing.T) {
	t.Parallel()
	shared := Audiences{}
	seen := map[*Audience]string{shared.Share(&Audience{}): "none"}
	for i := range reflect.TypeFor[Audience]().NumField() {
		with := func() *Audience {
			a := &Audience{}
			f := reflect.ValueOf(a).Elem().Field(i)
			f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem() // can be set although it is unexported
			switch f.Kind() {
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Slice:
				f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			default:
				t.Fatalf("set fields of kind %s", f.Kind())
			}
			return a
		}
		name := reflect.TypeFor[Audience]().Field(i).Name
		a := shared.Share(with())
		assert.NotContains(t, seen, a, "%s is not in the key", name)
		assert.Same(t, a, shared.Share(with()), name)
		seen[a] = name
	}
}

func TestAudiences_PermissionsAreNotJoined(t *testing.T) {
	t.Parallel()
	shared := Audiences{}
	assert.NotSame(t, shared.Share(&Audience{needed: []string{"a", "b"}}), shared.Share(&Audience{needed: []string{`a" "b`}}))
	assert.NotSame(t, shared.Share(&Audience{needed: []string{"a b"}}), shared.Share(&Audience{needed: []string{"a", "b"}}))
}
