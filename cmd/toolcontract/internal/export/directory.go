package export

import (
	"strings"

	"github.com/toolcontract/toolcontract/host"
)

// The directories that the exports are for, and the host whose naming one of
// them warns about, by their names in package host.
const (
	openAIDirectory = "openai-directory"
	claudeDirectory = "claude-directory"
	claudeHost      = "claude-ai"
)

// hostOf returns the facts of package host, the only source for the limits on
// tools and for the hints that a directory requires.
func hostOf(name string) host.Host {
	found, _ := host.Find(name) // name is one of the constants above
	if len(found) == 0 {
		return host.Host{}
	}
	return found[0]
}

// factOf returns the fact about a directory that a rule of [host.Lint] compares
// tools with.
func factOf(directory, rule string) host.Fact {
	for _, f := range hostOf(directory).Facts {
		if f.Rule == rule {
			return f
		}
	}
	return host.Fact{}
}

// nameOf returns the fact about tool names.
func nameOf(name string) host.Fact {
	for _, f := range hostOf(name).Names {
		return f
	}
	return host.Fact{}
}

// otherCharacters reports whether a name has characters other than letters,
// digits and those in keeps.
func otherCharacters(name, keeps string) bool {
	const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return name == "" || strings.Trim(name, alphanumeric+keeps) != ""
}
