package strictjson

import (
	"reflect"
	"sync"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// A Codec reads and writes values of one type, with the results of [Unmarshal]
// and [MarshalValue]. It is faster for a type without
// methods, which needs no hooks. [CodecOf] makes one; the zero Codec works for
// all types.
type Codec struct{ plain bool }

// CodecOf returns the Codec for values of t.
func CodecOf(t reflect.Type) Codec { return Codec{plain: !CallsMethods(t)} }

// CallsMethods reports whether the Codec may call methods of the type; see
// [CallsMethods].
func (c Codec) CallsMethods() bool { return !c.plain }

// Unmarshal decodes data into out, a pointer to a zero value of the type. The
// error is that of [Unmarshal].
func (c Codec) Unmarshal(data []byte, out any) error {
	if c.plain {
		if json.Unmarshal(data, out, quick()) == nil {
			return nil
		}
		reflect.ValueOf(out).Elem().SetZero()
	}
	return Unmarshal(data, out)
}

// Marshal encodes v. The error is that of [MarshalValue].
func (c Codec) Marshal(v any) ([]byte, error) {
	if c.plain {
		if data, err := json.Marshal(v, quick()); err == nil {
			return data, nil
		}
	}
	return MarshalValue(v)
}

// quick are options without the errors of encoding/json, which need a second
// pass over the text. They refuse a struct without exported fields.
var quick = sync.OnceValue(func() json.Options {
	return json.JoinOptions(withoutHooks(), jsonv1.ReportErrorsWithLegacySemantics(false))
})
