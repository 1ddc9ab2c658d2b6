package derive

import (
	"github.com/invopop/jsonschema"

	tree "github.com/toolcontract/toolcontract/internal/schema/tree"
)

// ReadInvopop returns a schema that an author made.
func ReadInvopop(s *jsonschema.Schema) (*tree.Builder, error) { return (&edge{}).read(s) }

// ThroughInvopop returns a schema that was given to an author, who did not
// change it.
func ThroughInvopop(b *tree.Builder) (*tree.Builder, error) {
	e := &edge{known: map[*jsonschema.Schema]*tree.Builder{}}
	return e.read(e.write(b))
}
