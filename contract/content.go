package contract

import "time"

// A Content is one item of a result beside, or in place of, structured
// content: [TextContent], [ImageContent], [AudioContent], [LinkContent] or
// [ResourceContent], as in the Model Context Protocol but free of any SDK.
type Content interface{ isContent() }

// Annotations say for whom an item is and how much it matters.
type Annotations struct {
	// Audience is "user", "assistant" or both. Empty: not said.
	Audience []string
	// Priority runs from 0, optional, to 1, required. Nil: not said.
	Priority *float64
	// LastModified is when what the item shows last changed. Zero: not said.
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
// sanitised; whether the address is one to follow, nothing checks.
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
	// URI is the resource's address, MIMEType what Text or Blob is.
	URI      string
	MIMEType string
	Text     string
	Blob     []byte // nil: Text counts
	// Annotations and Meta, the item's _meta, may be left out.
	Annotations Annotations
	Meta        map[string]any
	// ResourceMeta is the resource's own _meta, as against that of the item
	// which embeds it.
	ResourceMeta map[string]any
}

func (TextContent) isContent()     {}
func (ImageContent) isContent()    {}
func (AudioContent) isContent()    {}
func (LinkContent) isContent()     {}
func (ResourceContent) isContent() {}
