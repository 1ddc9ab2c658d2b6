// Package strictjson reads JSON with one meaning only, and writes it in one form only.
//
// [Parse] refuses what two readers may understand differently (RFC 7493, I-JSON): duplicate names, invalid UTF-8,
// lone surrogates, numbers that no double and no 64-bit integer can hold, and what is too deep, too large or too long a
// name to be handled in bounded time. What it returns is a tree of map[string]any, []any, string, bool, nil, int64, uint64 (only
// above the largest int64) and float64: never a [encoding/json.Number]. [Marshal] writes such a tree in the canonical
// form of RFC 8785, with integers exact, so that equal values have equal bytes.
//
// [Unmarshal] and [MarshalValue] move between JSON and an author's Go types. They keep the meaning that encoding/json
// gives those types, with the strictness above.
package strictjson
