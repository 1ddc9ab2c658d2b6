package contract

import (
	"maps"
	"slices"
)

// A clause is one thing that a contract can declare. Its file holds everything
// about it: the builder's verbs, the keys of a [Tags] field, the fields of a
// [Base], Build's check, the default, and the rules.
//
// To add a clause, write a file for it, add a line to the table [clauses], and
// add a member to [Document], whose type goes in document_members.go.
type clause struct {
	// members are the members of the document that the clause sets. A clause
	// without members declares something that a document does not publish.
	members []string
	// keys are the keys of a Tags field that declare the clause.
	keys tagKeys
	// base declares the clause with its fields of a [Base]. Nil: a base has no
	// such clause, because it needs a function of one tool.
	base func(*Base, *layer)
	// check validates what the layers declare, and sets the members of the
	// document. It reads members that earlier clauses have set. Nil: there is
	// nothing to check.
	check func(*checker)
	// texts checks the texts of the clause that people and models read. Nil:
	// the clause has none.
	texts func(*checker)
	// effective fills in omitted members of a document. Nil: an omitted member
	// stays omitted.
	effective func(*Document)
	// rules are the rules of check.
	rules []BuildRule
}

// A layer holds the declarations of one source: a Base, the tags of the input
// type, or the verbs of a builder.
type layer struct {
	values   map[string]any // by declaration
	mistakes []*DeclarationError
}

// A declaration names one value of type T in a layer.
type declaration[T any] string

// in returns the value that l declares, or the zero value and false if it
// declares none.
func (d declaration[T]) in(l *layer) (value T, declared bool) {
	value, declared = l.values[string(d)].(T)
	return value, declared
}

// of returns the value that l declares, or the zero value.
func (d declaration[T]) of(l *layer) T {
	value, _ := d.in(l)
	return value
}

// isIn reports whether l declares a value.
func (d declaration[T]) isIn(l *layer) bool {
	_, declared := d.in(l)
	return declared
}

// set declares a value in l and replaces an earlier one. It is not inlined,
// because the compiler would repeat it in each verb for each pair of types.
//
//go:noinline
func (d declaration[T]) set(l *layer, value T) {
	if l.values == nil {
		l.values = map[string]any{}
	}
	l.values[string(d)] = value
}

// add appends the elements of a list to those that l declares already. It
// copies the list, because layers share their values.
func add[T any](d declaration[[]T], l *layer, more []T) {
	d.set(l, append(slices.Clone(d.of(l)), more...))
}

// over returns l on top of under: a value of l hides the one of under. The
// mistakes of both are kept.
func (l *layer) over(under *layer) layer {
	values := maps.Clone(under.values)
	if values == nil {
		values = map[string]any{}
	}
	maps.Copy(values, l.values)
	return layer{values: values, mistakes: slices.Concat(l.mistakes, under.mistakes)}
}

// mistake records a mistake. Build fills in the name of the tool.
func (l *layer) mistake(rule, where, message, remedy string) {
	l.mistakes = append(l.mistakes, &DeclarationError{Rule: rule, Where: where, Message: message, Remedy: remedy})
}
