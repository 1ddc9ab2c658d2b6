package contract

import (
	"reflect"
	"time"
)

// A Content is one item of a result, next to or in place of structured content:
// [TextContent], [ImageContent], [AudioContent], [LinkContent] or
// [ResourceContent], as in the Model Context Protocol but independent of any
// SDK.
type Content interface{ isContent() }

// Annotations give an item's audience and importance.
type Annotations struct {
	// Audience is "user", "assistant" or both. Empty: not set.
	Audience []string
	// Priority runs from 0, optional, to 1, required. Nil: not set.
	Priority *float64
	// LastModified is when the item last changed. Zero: not set.
	LastModified time.Time
}

// TextContent is text for a model or a person. It is sanitised.
type TextContent struct {
	// Text is the text itself.
	Text string
	// Annotations and Meta, the item's _meta, may be left out.
	Annotations Annotations
	Meta        map[string]any
}

// ImageContent is an image.
type ImageContent struct {
	// Data is the image itself, of type MIMEType.
	Data     []byte
	MIMEType string
	// Annotations and Meta, the item's _meta, may be left out.
	Annotations Annotations
	Meta        map[string]any
}

// AudioContent is audio.
type AudioContent struct {
	// Data is the sound itself, of type MIMEType.
	Data     []byte
	MIMEType string
	// Annotations and Meta, the item's _meta, may be left out.
	Annotations Annotations
	Meta        map[string]any
}

// LinkContent points to a resource that the client may read. Its texts are
// sanitised. Its address is not checked.
type LinkContent struct {
	// URI is the resource's address; the others describe it.
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	// Size is in bytes. Nil: unknown.
	Size *int64
	// Annotations and Meta, the item's _meta, may be left out.
	Annotations Annotations
	Meta        map[string]any
}

// ResourceContent is a resource itself: its text, which is sanitised, or else
// its bytes.
type ResourceContent struct {
	// URI is the resource's address, and MIMEType the type of Text or Blob.
	URI      string
	MIMEType string
	Text     string
	Blob     []byte // nil: Text counts
	// Annotations and Meta, the item's _meta, may be left out.
	Annotations Annotations
	Meta        map[string]any
	// ResourceMeta is the resource's own _meta. Meta is that of the item that
	// embeds the resource.
	ResourceMeta map[string]any
}

func (TextContent) isContent()     {}
func (ImageContent) isContent()    {}
func (AudioContent) isContent()    {}
func (LinkContent) isContent()     {}
func (ResourceContent) isContent() {}

// A Reply is a result with additional content. A handler that returns
// Reply[Out] has the output schema of Out, and may add images, audio, links and
// resources.
//
// The first content item is the text that a model reads: the JSON of a
// structured Out, or an Out that is a string. If Content has a [TextContent],
// it replaces the JSON of a structured Out.
type Reply[Out any] struct {
	// Out is the result itself, Content the additional content.
	Out     Out
	Content []Content
	// Meta is added to the result's _meta. The library overwrites its own keys.
	Meta map[string]any
}

func (r Reply[Out]) parts() (out, content any, meta map[string]any) {
	return r.Out, r.Content, r.Meta
}

func (r *Reply[Out]) outPointer() any { return &r.Out }

func (Reply[Out]) outType() reflect.Type { return reflect.TypeFor[Out]() }

// replyOut returns the Out of a Reply and true, or t itself and false.
func replyOut(t reflect.Type) (reflect.Type, bool) {
	if r, ok := reflect.TypeAssert[interface{ outType() reflect.Type }](reflect.Zero(t)); ok {
		return r.outType(), true
	}
	return t, false
}
