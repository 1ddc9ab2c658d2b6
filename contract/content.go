package contract

import "time"

// A Content is one item of a result beside, or in place of, structured
// content: [TextContent], [ImageContent], [AudioContent], [LinkContent] or
// [ResourceContent], as in the Model Context Protocol but free of any SDK.
type Content interface{ isContent() }

// Annotations name the audience of an item and its importance.
type Annotations struct {
	// Audience is "user", "assistant" or both. Empty: not set.
	Audience []string
	// Priority runs from 0, optional, to 1, required. Nil: not set.
	Priority *float64
	// LastModified is the time of the last change of the item. Zero: not set.
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

// AudioContent is a sound.
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
	// Size is in bytes; nil: not known.
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
