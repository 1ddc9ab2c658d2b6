// Package state takes snapshots of Go values and compares them.
package state

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A Snapshot is a copy of a value: the text of each of its parts by path, such
// as "Orders[2].Status". It shares no memory with the value.
type Snapshot map[string]string

// Of returns a snapshot of a value, including unexported fields. It follows
// pointers, each only once along a path. Locks, functions and channels count
// only as nil or not nil, because they are not state that a caller can see. The
// value must not change meanwhile.
func Of(value any) Snapshot {
	w := walker{snapshot: Snapshot{}, open: map[visit]bool{}}
	w.walk("", reflect.ValueOf(value))
	return w.snapshot
}

// A visit is one pointer that the walk follows.
type visit struct {
	at   uintptr
	kind reflect.Type
}

type walker struct {
	snapshot Snapshot
	open     map[visit]bool
}

var (
	timeType = reflect.TypeFor[time.Time]()
	mapType  = reflect.TypeFor[sync.Map]()
)

func (w *walker) walk(path string, v reflect.Value) {
	if !v.IsValid() {
		w.snapshot[path] = "nil"
		return
	}
	t := v.Type()
	switch {
	case t == timeType && v.CanInterface():
		w.snapshot[path] = v.Interface().(time.Time).Format(time.RFC3339Nano) //nolint:forcetypeassert // its type is timeType
		return
	case t == mapType && v.CanAddr():
		w.syncMap(path, (*sync.Map)(v.Addr().UnsafePointer()))
		return
	case t.PkgPath() == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer["):
		// Its first field is a [0]*T, and its last one the pointer.
		w.walk(path, reflect.NewAt(t.Field(0).Type.Elem().Elem(), v.Field(t.NumField()-1).UnsafePointer()))
		return
	case isLock(t):
		return
	}
	switch v.Kind() { // the other kinds are scalars
	case reflect.Pointer, reflect.Interface:
		w.follow(path, v)
	case reflect.Struct:
		for i := range v.NumField() {
			if name := t.Field(i).Name; name != "_" {
				w.walk(join(path, name), v.Field(i))
			}
		}
	case reflect.Map:
		w.members(path, v)
	case reflect.Slice, reflect.Array:
		w.items(path, v)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		w.snapshot[path] = "nil"
		if !v.IsNil() {
			w.snapshot[path] = "not nil"
		}
	default:
		w.snapshot[path] = scalar(v)
	}
}

func (w *walker) follow(path string, v reflect.Value) {
	if v.IsNil() {
		w.snapshot[path] = "nil"
		return
	}
	if v.Kind() == reflect.Pointer {
		here := visit{v.Pointer(), v.Type()}
		if w.open[here] {
			w.snapshot[path] = "a value that holds this one"
			return
		}
		w.open[here] = true
		defer delete(w.open, here)
	}
	w.walk(path, v.Elem())
}

// members walks a map. The length is a part of its own, so that an empty map
// differs from a missing one.
func (w *walker) members(path string, v reflect.Value) {
	w.snapshot[path] = count(v)
	for iter := v.MapRange(); iter.Next(); {
		w.walk(path+"["+key(iter.Key())+"]", iter.Value())
	}
}

func (w *walker) syncMap(path string, m *sync.Map) {
	plain := map[any]any{}
	m.Range(func(key, value any) bool {
		plain[key] = value
		return true
	})
	w.members(path, reflect.ValueOf(plain))
}

func (w *walker) items(path string, v reflect.Value) {
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		w.snapshot[path] = text(string(v.Bytes()))
		return
	}
	w.snapshot[path] = count(v)
	for i := range v.Len() {
		w.walk(path+"["+strconv.Itoa(i)+"]", v.Index(i))
	}
}

func count(v reflect.Value) string {
	if v.Kind() != reflect.Array && v.IsNil() {
		return "nil"
	}
	return "length " + strconv.Itoa(v.Len())
}

func key(v reflect.Value) string {
	parts := Snapshot{}
	(&walker{snapshot: parts, open: map[visit]bool{}}).walk("", v)
	if whole, ok := parts[""]; ok && len(parts) == 1 {
		return whole
	}
	var b strings.Builder
	for i, path := range slices.Sorted(maps.Keys(parts)) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(path + "=" + parts[path])
	}
	return b.String()
}

func scalar(v reflect.Value) string {
	switch v.Kind() { // walk handles the others
	case reflect.String:
		return text(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(v.Complex(), 'g', -1, 128)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	default:
		return strconv.FormatInt(v.Int(), 10)
	}
}

// maxText caps a part's text, in bytes. A longer text is cut and gets its
// digest, so that any difference shows.
const maxText = 120

func text(s string) string {
	if len(s) <= maxText && utf8.ValidString(s) {
		return strconv.Quote(s)
	}
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%d bytes, SHA-256 %s", len(s), hex.EncodeToString(sum[:8]))
}

// isLock reports whether a type belongs to package sync. Values of sync/atomic
// count as state.
func isLock(t reflect.Type) bool { return t.PkgPath() == "sync" || t.PkgPath() == "internal/sync" }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// A Difference is one part that differs between two snapshots.
type Difference struct {
	// Path is the part's path. Empty: the value itself.
	Path string
	// Before and After are the part's texts. Empty: the snapshot does not have
	// the part.
	Before, After string
}

// String returns the difference on one line, with the path if there is one.
func (d Difference) String() string {
	text := d.Before + " became " + d.After
	switch {
	case d.Before == "":
		text = "added " + d.After
	case d.After == "":
		text = "removed " + d.Before
	}
	if d.Path == "" {
		return text
	}
	return d.Path + ": " + text
}

// Compare returns the parts that differ, sorted by path.
func Compare(before, after Snapshot) []Difference {
	paths := map[string]bool{}
	for path := range before {
		paths[path] = true
	}
	for path := range after {
		paths[path] = true
	}
	var all []Difference
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if before[path] != after[path] {
			all = append(all, Difference{path, before[path], after[path]})
		}
	}
	return all
}
