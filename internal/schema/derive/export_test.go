package derive

import (
	"github.com/invopop/jsonschema"

	tree "github.com/toolcontract/toolcontract/internal/schema/tree"
)

// ReadInvopop returns a schema made by an author.
func ReadInvopop(s *jsonschema.Schema) (*tree.Builder, error) { return (&edge{}).read(s) }

// ThroughInvopop returns a schema that was handed to an author who didn't
// change it.
func ThroughInvopop(b *tree.Builder) (*tree.Builder, error) {
	e := &edge{known: map[*jsonschema.Schema]*tree.Builder{}}
	return e.read(e.write(b))
}
