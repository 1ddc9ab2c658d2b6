package schema

import (
	"net/url"
	"sync"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// A validator checks any value against one document and describes what is wrong
// with it. It is safe for concurrent use.
type validator struct {
	document *tree.Document
	root     *santhosh.Schema // nil: the document does not compile

	mu       sync.Mutex
	compiler *santhosh.Compiler
	parts    map[int]*santhosh.Schema // by index; nil: the part does not compile
}

// documentURL identifies the document to the validator. Nothing is loaded from
// it.
const documentURL = "mem:///schema"

// forValidator renames the keywords the validator doesn't check well: they move
// to this package's vocabulary.
func forValidator(_ *tree.Node, keyword string, value any) string {
	switch {
	case keyword == "$id":
		return ""
	case keyword == "uniqueItems" && value == true:
		return UniqueKeyword
	default:
		return keyword
	}
}

// newValidator compiles a document. The validator has no root if the document's
// root isn't an object or doesn't compile.
func newValidator(document *tree.Document) *validator {
	v := &validator{document: document, compiler: newCompiler(), parts: map[int]*santhosh.Schema{}}
	if document.Root.Form() == tree.Object && v.compiler.AddResource(documentURL, document.Tree(forValidator)) == nil {
		v.root = v.at(0)
	}
	return v
}

// at returns the validator for the schema at an index, or nil if that schema
// doesn't compile alone.
func (v *validator) at(index int) *santhosh.Schema {
	v.mu.Lock()
	defer v.mu.Unlock()
	part, known := v.parts[index]
	if !known {
		pointer := v.document.All[index].Pointer()
		if compiled, err := v.compiler.Compile(documentURL + "#" + (&url.URL{Fragment: pointer}).EscapedFragment()); err == nil {
			part = compiled
		}
		v.parts[index] = part
	}
	return part
}
