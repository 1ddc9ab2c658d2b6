package host

// Read reads a file of hosts.
var Read = read

// HostsJSON is the file of hosts.
var HostsJSON = hostsJSON

// MetaKeyContract is the key of a contract in the _meta of a tool.
const MetaKeyContract = metaKeyContract

// Rules are the rules of Lint that facts name.
func Rules() []string {
	var all []string
	for _, c := range checks {
		all = append(all, c.rule)
	}
	return all
}

// Invalid returns the places where a schema is not valid in a draft.
func Invalid(text, draft string) ([]string, error) {
	s, err := readSchema("", []byte(text))
	var all []string
	for _, at := range s.invalid(draft) {
		all = append(all, at.pointer)
	}
	return all, err
}
