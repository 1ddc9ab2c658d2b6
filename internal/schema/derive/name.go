package derive

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
)

// displayName returns the name of a type as its author writes it, without the
// paths of packages, such as Page[Item].
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

// name returns the name of a type in $defs. It consists of letters, digits and
// underscores, which need no escaping in a $ref. The first type of a name gets
// it. One of the same name in another package has that package's name before
// it, and a number after it if it is still not unique.
func (d *deriver) name(t reflect.Type) string {
	if name, ok := d.names[t]; ok {
		return name
	}
	plain := legalName(displayName(t))
	qualified := legalName(path.Base(t.PkgPath())) + "_" + plain
	taken := slices.Collect(maps.Values(d.names))
	name := plain
	for n := 1; slices.Contains(taken, name); n++ {
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
