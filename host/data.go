package host

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed hosts.json
var hostsJSON []byte

// allFacts returns the hosts with all their facts, including past ones. A test
// reads the file again and reports any mistakes.
var allFacts = sync.OnceValue(func() []Host {
	hosts, _ := read(hostsJSON)
	return hosts
})

// read reads a hosts file strictly. The error joins all mistakes.
func read(data []byte) ([]Host, error) {
	var file struct {
		Format int    `json:"format"`
		Hosts  []Host `json:"hosts"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("host: something follows the object")
	}
	if file.Format != 1 {
		return nil, errors.New("host: the format is not 1")
	}
	var errs []error
	seen := map[string]bool{}
	for i, h := range file.Hosts {
		if seen[h.Name] {
			errs = append(errs, fmt.Errorf("host: hosts/%d: another host has this name", i))
		}
		seen[h.Name] = true
		for _, mistake := range h.mistakes() {
			errs = append(errs, fmt.Errorf("host: hosts/%d/%s", i, mistake))
		}
	}
	return file.Hosts, errors.Join(errs...)
}

var (
	hostName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	date     = regexp.MustCompile(`^20[0-9]{2}-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?$`)
)

func isDate(text string) bool { return date.MatchString(text) }

func oneOf(text string, words string) bool { return slices.Contains(strings.Fields(words), text) }

func (h Host) mistakes() []string {
	var all []string
	bad := func(is bool, format string, args ...any) {
		if is {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	bad(!hostName.MatchString(h.Name), "name: is not lower case letters, digits and hyphens")
	bad(h.Title == "" || h.Version == "", "title: title and version are needed")
	bad(!isDate(h.Date) || !isDate(h.Since), "date: date and since are not dates")
	bad(h.Modes == nil || h.Names == nil || h.Facts == nil || h.Capabilities == nil, "modes: a list is missing")
	check := func(where string, f Fact, kind string) {
		for _, mistake := range f.mistakes(kind) {
			all = append(all, where+"/"+mistake)
		}
	}
	for i, m := range h.Modes {
		where := fmt.Sprintf("modes/%d", i)
		check(where, m.Fact, "mode")
		bad(!hostName.MatchString(m.Name), "%s/name: is not lower case letters, digits and hyphens", where)
		bad(!m.isWhole(), "%s/rules: is not a list such as \"*t* ask\" whose last one applies to all", where)
		bad(m.Review != "" && !isPattern(m.Review), "%s/review: is not a pattern such as **t", where)
	}
	for kind, facts := range map[string][]Fact{"names": h.Names, "facts": h.Facts, "capabilities": h.Capabilities} {
		for i, f := range facts {
			check(fmt.Sprintf("%s/%d", kind, i), f, kind)
		}
	}
	slices.Sort(all)
	return all
}

// mistakes returns what is wrong with a fact in a list.
func (f Fact) mistakes(kind string) []string {
	var all []string
	bad := func(is bool, text string) {
		if is {
			all = append(all, text)
		}
	}
	bad(!oneOf(f.Mark, "src doc iss src2 doc2 mem"), "mark: is not src, doc, iss, src2, doc2 or mem")
	bad(strings.TrimSpace(f.Source) == "", "source: is missing")
	bad(f.Since != "" && !isDate(f.Since) || f.Until != "" && !isDate(f.Until), "since: since and until are dates")
	bad(f.Level != "" && f.Level != Info && f.Level != Warning && f.Level != Error, "level: is not info, warning or error")
	switch kind {
	case "names":
		bad(!strings.HasSuffix(f.Form, "{tool}"), "form: does not end with {tool}")
		bad(f.Does == "" || f.Level == "", "does: does and level are needed")
		bad(f.Limit > 0 && !oneOf(f.Over, "hash end middle omit server refuse"), "over: is unknown")
		bad(!oneOf(f.Other, "refuse") && f.Other != "", "other: is unknown")
	case "facts":
		bad(!oneOf(f.Topic, "list schema result question call hints key prompt time"), "topic: is unknown")
		bad(f.Does == "", "does: is missing")
		bad(f.Rule != "" && (f.Level == "" || !isRule(f.Rule)), "rule: is unknown, or has no level")
	case "capabilities":
		bad(!oneOf(f.Capability, "form url sampling tasks listChanged"), "name: is unknown")
		bad(!oneOf(f.Has, "yes no"), "has: is not yes or no")
	}
	return all
}
