package clausediff

import (
	"bytes"
	"encoding/json"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func formClauses() []clause {
	return []clause{
		func(d *differ) {
			for _, name := range namesOf(d.old.Unknown, d.now.Unknown) {
				from, to := d.old.Unknown[name], d.now.Unknown[name]
				if !bytes.Equal(from, to) && !sameJSON(from, to) {
					d.add("member.unknown", strictjson.Pointer("", name), from, to)
				}
			}
		},
		func(d *differ) {
			if d.old.Format != d.now.Format {
				d.add("format.changed", "/format", d.old.Format, d.now.Format)
			}
		},
	}
}

// sameJSON reports whether two texts are the same JSON value.
func sameJSON(a, b json.RawMessage) bool {
	first, errFirst := strictjson.Canonical(a)
	second, errSecond := strictjson.Canonical(b)
	return errFirst == nil && errSecond == nil && string(first) == string(second)
}
