package host

// Read is read for tests.
var Read = read

// HostsJSON is the hosts file.
var HostsJSON = hostsJSON

// MetaKeyContract is the key of a contract in a tool's _meta.
const MetaKeyContract = metaKeyContract

// Rules returns the rules of Lint that facts name.
func Rules() []string {
	var all []string
	for _, c := range checks {
		all = append(all, c.rule)
	}
	return all
}

// Invalid returns the places where a schema is invalid under a draft.
func Invalid(text, draft string) ([]string, error) {
	s, err := readSchema("", []byte(text))
	var all []string
	for _, h := range s.invalid(draft) {
		all = append(all, h.pointer)
	}
	return all, err
}
