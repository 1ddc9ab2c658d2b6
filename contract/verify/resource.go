package verify

// A Resource is a kind of thing that tools create, use and delete by an id.
// Package fuzz then calls tools with the ids of earlier results, also after the
// thing was deleted and by callers of another tenant. Both must fail.
//
//	verify.WithResource(verify.Resource{
//		Name:    "invoice",
//		Created: map[string]string{"invoices.create": "/number"},
//		Used:    map[string]string{"invoices.get": "/invoice", "invoices.void": "/invoice"},
//		Deleted: map[string]string{"invoices.void": "/invoice"},
//	})
type Resource struct {
	// Name is the word for the thing in messages.
	Name string
	// Created has the tools that create one, with the JSON Pointer of its id in
	// the structured content.
	Created map[string]string
	// Used has the tools that need one, with the JSON Pointer of its id in the
	// arguments.
	Used map[string]string
	// Deleted has the tools that delete one, with the JSON Pointer of its id in
	// the arguments.
	Deleted map[string]string
	// Shared means that callers of other tenants may use it. False: they may
	// not, and no result for them may have its id.
	Shared bool
}

// WithResource declares a kind of thing for package fuzz. Without it, results
// are linked to arguments only by their names, and nothing is judged by that.
func WithResource(r Resource) Option {
	return optionFunc(func(c *settings) {
		if len(r.Created) == 0 {
			c.mistake("WithResource: no tool creates the resource " + r.Name)
		}
		c.resources = append(c.resources, r)
	})
}
