package compat

import (
	"maps"
	"slices"
)

const capabilitiesPointer = "/capabilities"

// capabilitiesChanged returns the change if a snapshot starts or stops
// recording capabilities. It does not affect the tools' versions.
func capabilitiesChanged(kinds kindTable, old, now Snapshot) []Change {
	d := &recorder{kinds: kinds}
	switch {
	case old.Capabilities == nil && now.Capabilities != nil:
		d.add("capabilities.recorded", capabilitiesPointer, nil, len(now.Capabilities))
	case old.Capabilities != nil && now.Capabilities == nil:
		d.add("capabilities.dropped", capabilitiesPointer, len(old.Capabilities), nil)
	}
	return d.changes
}

// capabilityChanges compares the capabilities of the tool, if both snapshots
// record them.
func (p toolPair) capabilityChanges(kinds kindTable, old, now Snapshot) []Change {
	if p.old == nil || p.now == nil || old.Capabilities == nil || now.Capabilities == nil {
		return nil
	}
	d := &recorder{tool: p.name(), kinds: kinds}
	was, is := old.Capabilities[p.old.Name], now.Capabilities[p.now.Name]
	for _, c := range is {
		if !slices.Contains(was, c) {
			d.add("capability.gained", capabilitiesPointer, nil, c)
		}
	}
	for _, c := range was {
		if !slices.Contains(is, c) {
			d.add("capability.lost", capabilitiesPointer, c, nil)
		}
	}
	return d.changes
}

// sortedCapabilities returns the lists sorted, in a new map; nil for nil.
func sortedCapabilities(all map[string][]string) map[string][]string {
	if all == nil {
		return nil
	}
	sorted := maps.Clone(all)
	for tool, list := range sorted {
		sorted[tool] = append([]string{}, list...)
		slices.Sort(sorted[tool])
	}
	return sorted
}
