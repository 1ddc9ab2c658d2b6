package catalog

import (
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/declare"
	"github.com/toolcontract/toolcontract/internal/operation"
)

// foldName returns a form that is equal for names that collide. Hosts can list
// "a.b" as "a_b", and people ignore case.
func foldName(name string) string {
	return strings.ToLower(strings.NewReplacer(".", "_", "-", "_").Replace(name))
}

// A registry holds the names of a catalogue. A name belongs to the tool that
// had it first, so that no server can take the name of another's tool.
type registry struct {
	taken map[string]bool // by the folded name
	// sources are the names of the servers. A name that begins with one is
	// reserved for that server's tools, which need it if their own names are
	// taken.
	sources []string
}

func newRegistry(sources []Source) *registry {
	// The guard of the gateway may have its own tool of this name.
	r := &registry{taken: map[string]bool{foldName(operation.LookupTool): true}}
	for _, s := range sources {
		r.sources = append(r.sources, s.Name)
	}
	return r
}

// take marks a name as taken, and reports whether it was free.
func (r *registry) take(name string) bool {
	key := foldName(name)
	if r.taken[key] {
		return false
	}
	r.taken[key] = true
	return true
}

// isOfAnother reports whether a name begins with another server's name.
func (r *registry) isOfAnother(server, name string) bool {
	return slices.ContainsFunc(r.sources, func(other string) bool {
		return other != server && strings.HasPrefix(foldName(name), foldName(other+"."))
	})
}

// name returns the name of a new tool, and false if no name is free.
func (r *registry) name(source Source, tool string) (string, bool) {
	if !source.Prefix && !r.isOfAnother(source.Name, tool) && r.take(tool) {
		return tool, true
	}
	name := source.Name + "." + tool
	return name, declare.IsName(name) && r.take(name)
}
