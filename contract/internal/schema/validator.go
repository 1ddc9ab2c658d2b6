package schema

import (
	"net/url"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
)

// A validator decides about every value of one document and words what is wrong
// with it. It is safe for concurrent use.
type validator struct {
	document *schemadoc.Document
	root     *jsonschema.Schema // nil: the document does not compile

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	parts    map[string]*jsonschema.Schema // by pointer; nil: the part does not compile
}

// documentURL identifies the document to the validator. Nothing is loaded from
// it.
const documentURL = "mem:///schema"

// prepare changes a document for the validator: keywords that it does not check
// well move to the vocabulary of this package.
func prepare(document *schemadoc.Document) {
	for _, n := range document.All {
		delete(n.Keywords, "$id")
		if n.Keywords["uniqueItems"] == true {
			delete(n.Keywords, "uniqueItems")
			n.Keywords[UniqueKeyword] = true
		}
	}
}

// newValidator compiles a prepared document. The validator has no root if the
// root of the document is not an object or does not compile.
func newValidator(document *schemadoc.Document) *validator {
	v := &validator{document: document, compiler: newCompiler(), parts: map[string]*jsonschema.Schema{}}
	root := document.Root.Keywords
	if root != nil && v.compiler.AddResource(documentURL, root) == nil {
		v.root = v.at("")
	}
	return v
}

// at returns the validator of one schema of the document, nil if it does not
// compile alone.
func (v *validator) at(pointer string) *jsonschema.Schema {
	v.mu.Lock()
	defer v.mu.Unlock()
	part, known := v.parts[pointer]
	if !known {
		if compiled, err := v.compiler.Compile(documentURL + "#" + (&url.URL{Fragment: pointer}).EscapedFragment()); err == nil {
			part = compiled
		}
		v.parts[pointer] = part
	}
	return part
}
