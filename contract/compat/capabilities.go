package compat

import "slices"

const capabilitiesPointer = "/capabilities"

// capabilitiesChanged returns the change if a snapshot starts or stops
// recording capabilities. It does not affect the tools' versions.
func capabilitiesChanged(old, now Snapshot) []Change {
	d := &recorder{}
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
func (p toolPair) capabilityChanges(old, now Snapshot) []Change {
	if p.old == nil || p.now == nil || old.Capabilities == nil || now.Capabilities == nil {
		return nil
	}
	d := &recorder{tool: p.name()}
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
