package oldschema

import (
	"fmt"
	"path"
	"reflect"
	"strings"
)

// displayName is the name of a type as its author writes it, without the paths of packages: Page[Item].
func displayName(t reflect.Type) string {
	name := t.Name()
	switch {
	case name == "" && t.Kind() == reflect.Struct:
		return "struct"
	case name == "":
		name = t.String()
	}
	var b strings.Builder
	start := 0
	flush := func(end int) {
		word, _, _ := strings.Cut(name[start:end], "·") // a type declared in a function has a number
		b.WriteString(word[strings.LastIndexAny(word, "./")+1:])
	}
	for i, r := range name {
		if strings.ContainsRune("[],{} *;", r) {
			flush(i)
			b.WriteRune(r)
			start = i + len(string(r))
		}
	}
	flush(len(name))
	return b.String()
}

// name gives a type its place in $defs: letters, digits and underscores, which need no escaping in a $ref. The first
// type to ask for a name gets it; a namesake from another package has that package's name before it, and what is still
// the same has a number after it.
func (d *deriver) name(t reflect.Type) string {
	if name, ok := d.names[t]; ok {
		return name
	}
	plain := legalName(displayName(t))
	qualified := legalName(path.Base(t.PkgPath())) + "_" + plain
	name := plain
	for n := 1; d.taken(name); n++ {
		name = qualified
		if n > 1 {
			name = fmt.Sprintf("%s_%d", qualified, n)
		}
	}
	d.names[t] = name
	return name
}

func (d *deriver) taken(name string) bool {
	for _, other := range d.names {
		if other == name {
			return true
		}
	}
	return false
}

func legalName(name string) string {
	legal := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		default:
			return '_'
		}
	}, name)
	return strings.Trim(legal, "_")
}
