package contract

import "reflect"

// A Reply is a result with additional content. A handler that returns
// Reply[Out] has the output schema of Out, and may add images, sound, links and
// resources.
//
// The first content is the text that a model reads: the JSON of a structured
// Out, or an Out that is a string. If Content has a [TextContent] of its own,
// it replaces the JSON of a structured Out.
type Reply[Out any] struct {
	// Out is the result itself, Content the additional content.
	Out     Out
	Content []Content
	// Meta is added to the result's _meta. The library replaces its own keys.
	Meta map[string]any
}

func (r Reply[Out]) parts() (out, content any, meta map[string]any) {
	return r.Out, r.Content, r.Meta
}

func (Reply[Out]) outType() reflect.Type { return reflect.TypeFor[Out]() }

// replyOut returns the Out of a Reply and true, or t itself and false.
func replyOut(t reflect.Type) (reflect.Type, bool) {
	if r, ok := reflect.TypeAssert[interface{ outType() reflect.Type }](reflect.Zero(t)); ok {
		return r.outType(), true
	}
	return t, false
}
