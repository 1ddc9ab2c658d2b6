package verify

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/verify/internal/state"
	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// weigh sorts what was seen into changes, and acts whose effect no witness saw.
func (v *verifier) weigh(o *observedCall, seen witness.Observation, differences []state.Difference) {
	requested := map[string]bool{}
	for _, e := range seen.Events {
		if e.Kind == witness.Request {
			requested[portOf(e.Address)] = true
		}
	}
	for _, e := range seen.Events {
		if isResolver(e) || v.isAllowed(func(a allowance) bool { return a.coversEvent(e) }, e.String()) {
			continue
		}
		o.events = append(o.events, e)
		switch {
		case changes(e):
			o.changes = append(o.changes, e.String())
		case (e.Kind == witness.Connect || e.Kind == witness.Send) && !requested[portOf(e.Address)], e.Kind == witness.Unknown:
			o.blind = append(o.blind, e.String())
		}
	}
	for _, d := range differences {
		if !v.isAllowed(func(a allowance) bool { return a.coversState(d) }, "state "+d.Path) {
			o.changes = append(o.changes, "state: "+d.String())
		}
	}
	if seen.Running > 0 && !o.hung && !o.running {
		o.blind = append(o.blind, fmt.Sprintf("%d goroutines of the call that went on after it", seen.Running))
	}
}

// isAllowed reports whether the author allows an effect, and notes the reason.
func (v *verifier) isAllowed(covers func(allowance) bool, effect string) bool {
	for _, a := range v.config.allowances {
		if covers(a) {
			if note := "allowed: " + effect + ": " + a.reason; !slices.Contains(v.allowed, note) {
				v.allowed = append(v.allowed, note)
			}
			return true
		}
	}
	return false
}

// changes reports whether an event is a change by itself.
func changes(e witness.Event) bool {
	switch e.Kind {
	case witness.Write, witness.Remove, witness.Rename, witness.Mode, witness.Exec, witness.Signal, witness.System:
		return true
	case witness.Send: // a stream also carries requests that only read
		return e.Network == "udp"
	case witness.Request:
		switch e.Method { // RFC 9110, section 9.2.1
		case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
			return false
		}
		return true
	case witness.Connect, witness.Listen, witness.Unknown:
	}
	return false
}

// isResolver reports whether an event belongs to resolving a name: a query to a
// name server, or the connection without packets by which package net finds its
// source address. A write to the null device counts too, because it has no
// effect.
func isResolver(e witness.Event) bool {
	switch port := portOf(e.Address); {
	case port == "53" && (e.Kind == witness.Connect || e.Kind == witness.Send):
		return true
	case port == "9" && e.Network == "udp" && e.Kind == witness.Connect:
		return true
	}
	return e.Path == "/dev/null"
}

func portOf(address string) string {
	return address[strings.LastIndexByte(address, ':')+1:]
}

// summarize returns the first effects for a message, and how many more there
// are.
func summarize(effects []string) string {
	text := strings.Join(effects[:min(len(effects), maxShown)], "; ")
	if more := len(effects) - maxShown; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
