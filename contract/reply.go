package contract

import "reflect"

// A Reply is a result with content beside it: a handler that returns
// Reply[Out] has the output schema of Out, and may add images, sound, links and
// resources.
//
// The first content is the text that a model reads: the JSON of a structured
// Out, or an Out that is a string. Where Content has a [TextContent] of its
// own, that is taken to be the text, and none is made from a structured Out.
type Reply[Out any] struct {
	// Out is the result itself, Content what comes beside it.
	Out     Out
	Content []Content
	// Meta is added to the result's _meta. A key of this library is replaced.
	Meta map[string]any
}

// Parts takes a reply apart, for whoever does not know its Out.
func (r Reply[Out]) Parts() (out any, content []Content, meta map[string]any) {
	return r.Out, r.Content, r.Meta
}

func (Reply[Out]) outType() reflect.Type { return reflect.TypeFor[Out]() }

// replyOut returns the type behind a Reply and true, or t itself.
func replyOut(t reflect.Type) (reflect.Type, bool) {
	if r, ok := reflect.TypeAssert[interface{ outType() reflect.Type }](reflect.Zero(t)); ok {
		return r.outType(), true
	}
	return t, false
}
