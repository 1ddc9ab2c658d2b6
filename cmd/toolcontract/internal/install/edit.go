package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// errNotPlain means that editing the file could destroy part of it.
var errNotPlain = errors.New("is not plain JSON, perhaps because it has comments")

// errOther means that the file already has a different server of this name.
var errOther = errors.New("has another server of this name; uninstall that one first, or choose another name")

// errAbsent means that the file has no server of this name.
var errAbsent = errors.New("has no server of this name")

// A container is an object or array in a text.
type container struct {
	open, end int // the offsets of its brackets
	members   []member
}

// A member is a member of an object, or an element of an array, which has an
// empty key.
type member struct {
	key               string
	start, value, end int // the offsets of the key, of the value, and after it
}

// A document is the text of a JSON file. It is edited in place: every byte
// outside the edited member stays as it is.
type document struct{ text []byte }

// scan finds the members of the container at an offset.
func (d *document) scan(offset int) (container, error) {
	rest := d.text[offset:]
	dec := json.NewDecoder(bytes.NewReader(rest))
	first, err := dec.Token()
	delim, ok := first.(json.Delim)
	if err != nil || !ok {
		return container{}, errNotPlain
	}
	c := container{open: offset + int(dec.InputOffset()) - 1}
	for dec.More() {
		at := int(dec.InputOffset())
		m := member{start: offset + at + len(rest[at:]) - len(bytes.TrimLeft(rest[at:], " \t\r\n,"))}
		if delim == '{' {
			key, err := dec.Token()
			if err != nil {
				return container{}, errNotPlain
			}
			m.key, _ = key.(string)
			if slices.ContainsFunc(c.members, func(o member) bool { return o.key == m.key }) {
				return container{}, errors.New("has a key twice")
			}
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return container{}, errNotPlain
		}
		m.end = offset + int(dec.InputOffset())
		m.value = m.end - len(value)
		c.members = append(c.members, m)
	}
	if _, err := dec.Token(); err != nil {
		return container{}, errNotPlain
	}
	c.end = offset + int(dec.InputOffset()) - 1
	return c, nil
}

// top returns the document's top-level object.
func (d *document) top() (container, error) {
	c, err := d.scan(0)
	if err != nil {
		return c, err
	}
	if d.text[c.open] != '{' || !json.Valid(d.text) {
		return c, errNotPlain
	}
	return c, nil
}

func (c container) find(key string) (member, bool) {
	i := slices.IndexFunc(c.members, func(m member) bool { return m.key == key })
	if i < 0 {
		return member{}, false
	}
	return c.members[i], true
}

// inner returns the container that is the value of a top-level key, and whether
// there is one.
func (d *document) inner(key string, bracket byte) (c container, found bool, err error) {
	top, err := d.top()
	if err != nil {
		return c, false, err
	}
	m, found := top.find(key)
	if !found {
		return c, false, nil
	}
	if d.text[m.value] != bracket {
		return c, false, fmt.Errorf("has a member %s of another type than the host's", key)
	}
	c, err = d.scan(m.value)
	return c, true, err
}

// indentBefore returns the white space between the start of a line and an
// offset, and whether there is nothing else.
func (d *document) indentBefore(offset int) (string, bool) {
	line := d.text[bytes.LastIndexByte(d.text[:offset], '\n')+1 : offset]
	indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	return string(indent), len(indent) == len(line) && len(line) < offset
}

// unit returns one step of the document's indentation.
func (d *document) unit() string {
	if top, err := d.top(); err == nil && len(top.members) > 0 {
		if indent, alone := d.indentBefore(top.members[0].start); alone && indent != "" {
			return indent
		}
	}
	return "  "
}

// add appends a member to a container. An element's key is empty.
func (d *document) add(c container, key string, value any) {
	name := ""
	if key != "" {
		name = string(encode(key, "", "")) + ": "
	}
	var at, until int
	var inserted string
	if n := len(c.members); n > 0 {
		at, until = c.members[n-1].end, c.members[n-1].end
		if indent, alone := d.indentBefore(c.members[n-1].start); alone {
			inserted = ",\n" + indent + name + string(encode(value, indent, d.unit()))
		} else {
			inserted = ", " + name + string(encode(value, "", ""))
		}
	} else {
		at, until = c.open+1, c.end
		outer, _ := d.indentBefore(c.open)
		indent := outer + d.unit()
		inserted = "\n" + indent + name + string(encode(value, indent, d.unit())) + "\n" + outer
	}
	if bytes.Contains(d.text, []byte("\r\n")) {
		inserted = strings.ReplaceAll(inserted, "\n", "\r\n")
	}
	d.text = slices.Concat(d.text[:at], []byte(inserted), d.text[until:])
}

// encode returns a value as JSON, on one line if unit is empty.
func encode(value any, prefix, unit string) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if unit != "" {
		enc.SetIndent(prefix, unit)
	}
	_ = enc.Encode(value) //nolint:errchkjson // strings, and lists and maps of them
	return bytes.TrimSpace(out.Bytes())
}

// withServer returns the text of a file with a server added below a key, and
// whether it differs.
func withServer(text []byte, key, name string, value entry, inputs []input) (_ []byte, changed bool, err error) {
	d := document{text: text}
	if len(bytes.TrimSpace(text)) == 0 {
		d.text = []byte("{}\n")
	}
	servers, found, err := d.inner(key, '{')
	if err != nil {
		return nil, false, err
	}
	if m, there := servers.find(name); there {
		if !equal(d.text[m.value:m.end], encode(value, "", "")) {
			return nil, false, errOther
		}
		return text, false, nil
	}
	want, err := members(d.text)
	if err != nil {
		return nil, false, err
	}
	if found {
		d.add(servers, name, value)
	} else {
		top, err := d.top()
		if err != nil {
			return nil, false, err
		}
		d.add(top, key, map[string]entry{name: value})
	}
	if err := d.addInputs(inputs); err != nil {
		return nil, false, err
	}
	got, err := members(d.text)
	if err != nil || !sameBut(want, got, key, name, len(inputs) > 0) {
		return nil, false, errNotPlain
	}
	return d.text, true, nil
}

// addInputs adds the prompts for values that VS Code asks a person for. A
// prompt whose ID already exists is left alone.
func (d *document) addInputs(inputs []input) error {
	for _, in := range inputs {
		list, found, err := d.inner("inputs", '[')
		if err != nil {
			return err
		}
		if !found {
			top, err := d.top()
			if err != nil {
				return err
			}
			d.add(top, "inputs", []input{in})
			continue
		}
		if slices.ContainsFunc(list.members, func(m member) bool {
			var other input
			return json.Unmarshal(d.text[m.value:m.end], &other) == nil && other.ID == in.ID
		}) {
			continue
		}
		d.add(list, "", in)
	}
	return nil
}

// withoutServer returns the text of a file with a server removed.
func withoutServer(text []byte, key, name string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errAbsent
	}
	d := document{text: text}
	servers, _, err := d.inner(key, '{')
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(servers.members, func(m member) bool { return m.key == name })
	if i < 0 {
		return nil, errAbsent
	}
	before, err := members(text)
	if err != nil {
		return nil, err
	}
	from, until := servers.open+1, servers.end
	switch {
	case i > 0:
		from, until = servers.members[i-1].end, servers.members[i].end
	case len(servers.members) > 1:
		from, until = servers.members[0].start, servers.members[1].start
	}
	d.text = slices.Concat(text[:from], text[until:])
	after, err := members(d.text)
	if err != nil || !sameBut(after, before, key, name, false) {
		return nil, errNotPlain
	}
	return d.text, nil
}

// members returns a file's top-level members.
func members(text []byte) (map[string]any, error) {
	var all map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&all); err != nil {
		return nil, errNotPlain
	}
	return all, nil
}

// sameBut reports whether two versions of a file, with and without a server,
// differ only in that server. It is the last check before a person's file is
// replaced.
func sameBut(without, with map[string]any, key, name string, inputs bool) bool {
	servers, _ := with[key].(map[string]any)
	if _, there := servers[name]; !there {
		return false
	}
	delete(servers, name)
	if _, there := without[key]; !there && len(servers) == 0 {
		delete(with, key)
	}
	if inputs {
		delete(with, "inputs")
		delete(without, "inputs")
	}
	return reflect.DeepEqual(without, with)
}

// equal reports whether two JSON texts have the same value.
func equal(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}
