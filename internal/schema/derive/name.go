package derive

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
)

// displayName returns a type's name as its author writes it, without package
// paths, such as Page[Item].
func displayName(t reflect.Type) string {
	name := t.Name()
	switch {
	case name == "" && t.Kind() == reflect.Struct:
		return "struct"
	case name == "":
		name = t.String()
	}
	var b strings.Builder
	for name != "" {
		end := strings.IndexAny(name, "[],{} *;")
		if end < 0 {
			end = len(name)
		}
		word, _, _ := strings.Cut(name[:end], "·") // a type declared in a function has a number
		b.WriteString(word[strings.LastIndexAny(word, "./")+1:])
		if end < len(name) {
			b.WriteByte(name[end])
			end++
		}
		name = name[end:]
	}
	return b.String()
}

// name returns a type's name in $defs. It consists of letters, digits and
// underscores, which need no escaping in a $ref. The first type with a name
// gets it. Another package's type of that name gets its package's name as a
// prefix, and a number as a suffix if it still isn't unique.
func (d *deriver) name(t reflect.Type) string {
	if name, ok := d.names[t]; ok {
		return name
	}
	plain := legalName(displayName(t))
	qualified := legalName(path.Base(t.PkgPath())) + "_" + plain
	used := slices.Collect(maps.Values(d.names))
	name := plain
	for n := 1; slices.Contains(used, name); n++ {
		name = qualified
		if n > 1 {
			name = fmt.Sprintf("%s_%d", qualified, n)
		}
	}
	d.names[t] = name
	return name
}

func legalName(name string) string {
	legal := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, name)
	return strings.Trim(legal, "_")
}
