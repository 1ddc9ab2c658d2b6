package export

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract"
)

// The constants of the MCP registry's server.json.
const (
	serverSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
	publisherKey = "io.modelcontextprotocol.registry/publisher-provided"
	// maxPublisher caps the value below publisherKey, in bytes.
	maxPublisher = 4 << 10

	maxServerName        = 200
	maxServerDescription = 100
	maxServerVersion     = 255
)

var (
	serverName = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)
	// versionRange matches what the registry takes for a range.
	versionRange = regexp.MustCompile(`^[\^~<>=]|[*|]|\s|(^|\.)[xX](\.|$)|^latest$`)
)

// published is the summary of contracts in server.json. The registry has no
// member for tools.
type published struct {
	Format int `json:"format"`
	// Digest is the snapshot's digest.
	Digest       string `json:"digest,omitempty"`
	Tools        int    `json:"tools"`
	Uncontracted int    `json:"uncontracted,omitempty"`
	// Effects counts the tools by effect.
	Effects map[string]int `json:"effects,omitempty"`
	// Contracts are the summaries, if they fit.
	Contracts []contract.Summary `json:"contracts,omitempty"`
}

// registry returns server.json.
func registry(from source, p parameters) (r result) {
	switch {
	case p.name == "":
		r.asks("server.name", "pass -name, such as io.github.USER/SERVER; the registry demands a proof of it")
	case len(p.name) < 3 || len(p.name) > maxServerName || !serverName.MatchString(p.name):
		r.add(wrong, "", "server.name", "-name must be of the form NAMESPACE/NAME, with 3 to %d letters, digits and . _ -",
			maxServerName)
	}
	if p.description == "" {
		r.asks("server.description", "pass -description")
	}
	r.checkLength("-description", p.description, maxServerDescription)
	switch {
	case p.version == "":
		r.asks("server.version", "pass -version")
	case utf8.RuneCountInString(p.version) > maxServerVersion || versionRange.MatchString(p.version):
		r.add(wrong, "", "server.version", "-version must be one version of at most %d characters: no range, and not latest",
			maxServerVersion)
	}
	type remote struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	}
	file := struct {
		Schema      string         `json:"$schema"`
		Name        string         `json:"name,omitempty"`
		Title       string         `json:"title,omitempty"`
		Description string         `json:"description,omitempty"`
		Version     string         `json:"version,omitempty"`
		Remotes     []remote       `json:"remotes,omitempty"`
		Meta        map[string]any `json:"_meta"`
	}{Schema: serverSchema, Name: p.name, Title: p.title, Description: p.description, Version: p.version}
	switch {
	case p.url == "":
		r.asks("server.package", "add the package, or pass -url; neither follows from a contract")
	case !strings.HasPrefix(p.url, "https://"):
		r.add(wrong, "", "server.url", "-url must begin with https://")
	default:
		file.Remotes = []remote{{"streamable-http", p.url}}
	}
	file.Meta = map[string]any{publisherKey: summary(from, &r)}
	r.file("server.json", file)
	return r
}

// summary returns the value below publisherKey, in at most maxPublisher bytes.
func summary(from source, r *result) map[string]published {
	s := published{Format: contract.Format, Digest: from.digest, Tools: len(from.tools), Effects: map[string]int{}}
	for _, t := range from.tools {
		if t.doc == nil {
			s.Uncontracted++
			continue
		}
		s.Effects[t.doc.Effect.Effective().String()]++
		short := t.doc.Summary()
		short.Name = t.name
		s.Contracts = append(s.Contracts, short)
	}
	value := map[string]published{contract.MetaKeyContract: s}
	if text, err := json.Marshal(value); err == nil && len(text) <= maxPublisher {
		return value
	}
	s.Contracts = nil
	r.add(warning, "", "summary.length", "the contracts of %d tools do not fit in the registry's 4 KB; the file has only "+
		"their number", len(from.tools))
	return map[string]published{contract.MetaKeyContract: s}
}
