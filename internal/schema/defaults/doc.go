// Package defaults fills a schema's defaults into arguments.
//
// A default counts where a path of properties, items and $ref leads to it from
// the root, and where a map's additionalProperties lead to it. An anyOf of a
// schema and null counts as a $ref to the schema. Beside a $ref, the schema's
// own declarations come before those of the $ref's target: if both declare a
// property or have a default, the schema's own wins. So exactly one schema
// gives a member its default, and the result doesn't depend on any order:
// filling a value again changes nothing, and leaving out a member means the
// same as giving its default.
//
// A default under any other keyword would count for some values only, or for
// none. [New] refuses it.
//
// [New] also proves that a default never turns a valid value into an invalid
// one, and refuses a default it can't prove this for. The proof has two parts.
// First, the schema that contains the default accepts it. Second, no other
// keyword on the path to it can tell whether it was filled in: every schema on
// the path checks its members and items one by one, or checks other ones. The
// proof is simple and sound, not complete: it refuses a default beside a
// maxProperties even if that always leaves room for it.
package defaults
