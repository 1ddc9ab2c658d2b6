package export

import (
	"strings"

	"github.com/toolcontract/toolcontract/host"
)

// The directories of the exports, and the host of whose names one of them
// warns, by their names in package host.
const (
	openAIDirectory = "openai-directory"
	claudeDirectory = "claude-directory"
	claudeHost      = "claude-ai"
)

// hostOf returns what package host knows, which is the only source of the
// limits of tools and of the hints that a directory demands.
func hostOf(name string) host.Host {
	found, _ := host.Find(name) // a constant above
	if len(found) == 0 {
		return host.Host{}
	}
	return found[0]
}

// factOf returns the fact about a directory with which a rule of [host.Lint]
// compares tools.
func factOf(directory, rule string) host.Fact {
	for _, f := range hostOf(directory).Facts {
		if f.Rule == rule {
			return f
		}
	}
	return host.Fact{}
}

// nameOf returns the fact about the names of tools.
func nameOf(name string) host.Fact {
	for _, f := range hostOf(name).Names {
		return f
	}
	return host.Fact{}
}

// otherCharacters reports whether a name has other characters than letters,
// digits and those of keeps.
func otherCharacters(name, keeps string) bool {
	const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return name == "" || strings.Trim(name, alphanumeric+keeps) != ""
}
