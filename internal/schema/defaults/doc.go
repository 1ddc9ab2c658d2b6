// Package defaults fills the defaults of a schema into arguments.
//
// A default counts where a path of properties, items and $ref leads to it from
// the root, and where the additionalProperties of a map lead. An anyOf of a
// schema and null counts as a $ref to the schema. Beside a $ref, what the
// schema itself declares comes before what the $ref leads to: a property that
// both declare, and a default that both have, are the schema's own. So exactly
// one schema gives a member its default, and the result depends on no order:
// filling a value again changes nothing, and leaving a member out means the
// same as giving its default.
//
// A default under any other keyword would count for some values only, or for
// none. [New] refuses it.
//
// [New] also proves that a default never turns a valid value into an invalid
// one, and refuses a default without that proof. The proof has two parts. The
// schema in which the default stands accepts it. And no other keyword on the
// path to it can tell whether it was filled in: every schema on the path judges
// its members and items one by one, or judges others. The proof is simple and
// sound, not complete: a maxProperties that always leaves room for the default
// refuses it all the same.
package defaults
