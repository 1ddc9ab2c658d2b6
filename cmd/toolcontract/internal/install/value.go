package install

import (
	"fmt"
	"regexp"
	"strings"
)

// A Variable is an environment variable for a server, or a header for requests
// to it. Its value may refer to environment variables of the host as ${NAME}.
type Variable struct{ Name, Value string }

var (
	reference   = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	whole       = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)
	bearer      = regexp.MustCompile(`^Bearer \$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)
	envName     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	controlRune = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]`)
)

// ParseEnv reads an environment variable, given as NAME=VALUE, or as NAME to
// refer to the variable of the same name.
func ParseEnv(text string) (Variable, error) {
	name, value, found := strings.Cut(text, "=")
	if !envName.MatchString(name) {
		return Variable{}, fmt.Errorf("the name of an environment variable has letters, digits and _; write NAME or NAME=VALUE")
	}
	if !found {
		value = "${" + name + "}"
	}
	return Variable{name, value}, nil
}

// ParseHeader reads a header, given as NAME: VALUE.
func ParseHeader(text string) (Variable, error) {
	name, value, found := strings.Cut(text, ":")
	if !found || !headerName.MatchString(name) || strings.ContainsAny(value, "\n\t") {
		return Variable{}, fmt.Errorf("the header is not of the form NAME: VALUE")
	}
	return Variable{name, strings.TrimSpace(value)}, nil
}

// refers reports whether any of the values has a reference.
func refers(all []Variable) bool {
	for _, v := range all {
		if reference.MatchString(v.Value) {
			return true
		}
	}
	return false
}

// references returns the names of the variables that the values refer to, each
// once, in order of appearance.
func references(all []Variable) (names []string) {
	seen := map[string]bool{}
	for _, v := range all {
		for _, m := range reference.FindAllStringSubmatch(v.Value, -1) {
			if !seen[m[1]] {
				names = append(names, m[1])
			}
			seen[m[1]] = true
		}
	}
	return names
}
