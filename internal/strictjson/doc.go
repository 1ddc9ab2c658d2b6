// Package strictjson reads JSON that can mean only one thing, and writes it in
// only one form.
//
// [Parse] refuses JSON that two readers may interpret differently (RFC 7493,
// I-JSON): duplicate names, invalid UTF-8, lone surrogates, and numbers that
// neither a double nor a 64-bit integer can hold. It also refuses input that is
// nested too deeply, is too large or has overlong names, which bounds its
// running time. Its result is a tree of map[string]any, []any, string, bool,
// nil, int64, uint64 (only above the largest int64) and float64, never a
// [encoding/json.Number].
//
// [Marshal] writes such a tree in the canonical form of RFC 8785, but with
// exact integers. Equal values have equal bytes.
//
// [Unmarshal] and [MarshalValue] convert between JSON and Go types. They follow
// encoding/json, but are as strict as Parse. [FieldsOf] lists the fields of a
// struct as they see them: names from json tags, promotion of embedded structs,
// shadowing and conflicts.
//
// [Pointer], [SplitPointer] and [Lookup] write, read and follow JSON Pointers
// (RFC 6901).
package strictjson
