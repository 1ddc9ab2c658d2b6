package effectcheck

import (
	"go/constant"
	"go/types"
	"os"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// The capability map gives these to functions whose arguments decide what they
// do.
const (
	byFlag   Capability = "FILES/FLAG"   // os.OpenFile
	byMethod Capability = "NETWORK/HTTP" // (*http.Client).Do
	bySQL    Capability = "DATABASE/SQL" // (*sql.DB).Exec
	byStream Capability = "FILES/STREAM" // (*os.File).Write, by its receiver
)

// refine returns the walk's leaves, with the capabilities that their arguments
// show.
func (w *walk) refine() []leaf {
	var all []leaf
	for _, l := range w.leaves {
		switch l.capability {
		case byFlag:
			all = append(all, w.ofArgument(l, "flag", flagCapability, filesAny)...)
		case bySQL:
			all = append(all, w.ofArgument(l, "query", sqlCapability, databaseAny)...)
		case byStream:
			all = append(all, leaf{l.call, w.ofReceiver(l.call)})
		case byMethod:
			all = append(all, w.ofMethods(l)...)
		default:
			all = append(all, l)
		}
	}
	return all
}

// ofArgument returns the leaf once for each value of the named argument.
func (w *walk) ofArgument(l leaf, name string, of func(origin) Capability, unknown Capability) []leaf {
	argument := argumentOf(l.call, name)
	if argument == nil {
		return []leaf{{l.call, unknown}}
	}
	var all []leaf
	for _, o := range w.origins(argument, l.call) {
		capability := unknown
		if o.constant() != nil {
			capability = of(o)
		}
		all = append(all, leaf{l.call, capability})
	}
	return all
}

// argumentOf returns a call's argument for a parameter, or nil if there is
// none.
func argumentOf(c call, name string) ssa.Value {
	if c.site == nil {
		return nil
	}
	for i, p := range c.callee.Params {
		if p.Name() == name {
			return c.argument(i)
		}
	}
	return nil
}

func flagCapability(flag origin) Capability {
	bits, ok := constant.Int64Val(constant.ToInt(flag.constant()))
	switch {
	case !ok:
		return filesAny
	case bits&int64(os.O_WRONLY|os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_TRUNC) != 0:
		return filesWrite
	default:
		return filesRead
	}
}

func sqlCapability(statement origin) Capability {
	if statement.constant().Kind() != constant.String {
		return databaseAny
	}
	return statementCapability(constant.StringVal(statement.constant()), !statement.isPart)
}

// ofMethods returns a request's leaf once for each method that the handler can
// give the request. Its call is the one that names the method.
func (w *walk) ofMethods(l leaf) []leaf {
	var all []leaf
	for _, c := range w.requests {
		argument := argumentOf(c, "method")
		if argument == nil {
			all = append(all, leaf{l.call, networkAny})
			continue
		}
		for _, o := range w.origins(argument, c) {
			if o.call.site == nil {
				o.call = c
			}
			all = append(all, leaf{o.call, methodCapability(o)})
		}
	}
	for _, s := range w.methodStores {
		for _, o := range w.origins(s.store.Val, l.call) {
			if o.call.site == nil {
				o.call = l.call
			}
			all = append(all, leaf{o.call, methodCapability(o)})
		}
	}
	if len(all) == 0 {
		return []leaf{{l.call, networkAny}}
	}
	return all
}

func methodCapability(o origin) Capability {
	method := o.constant()
	if method == nil || method.Kind() != constant.String || o.isPart {
		return networkAny
	}
	switch strings.ToUpper(constant.StringVal(method)) {
	case "", "GET", "HEAD", "OPTIONS":
		return networkRead
	case "POST":
		return networkPost
	case "PUT", "PATCH", "DELETE":
		return networkWrite
	default:
		return networkAny
	}
}

// A methodStore sets a request's method.
type methodStore struct {
	in    *ssa.Function
	store *ssa.Store
}

// methodStores returns where f sets the method of an HTTP request.
func methodStores(f *ssa.Function) []methodStore {
	var all []methodStore
	for _, block := range f.Blocks {
		for _, instruction := range block.Instrs {
			store, ok := instruction.(*ssa.Store)
			if !ok {
				continue
			}
			if field, ok := store.Addr.(*ssa.FieldAddr); ok && isRequestMethod(field) {
				all = append(all, methodStore{f, store})
			}
		}
	}
	return all
}

func isRequestMethod(field *ssa.FieldAddr) bool {
	pointer, ok := field.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := pointer.Elem().(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "net/http" || named.Obj().Name() != "Request" {
		return false
	}
	s, ok := named.Underlying().(*types.Struct)
	return ok && s.Field(field.Field).Name() == "Method"
}

// isRequest reports whether f makes an HTTP request from its method.
func isRequest(f *ssa.Function) bool {
	switch f.String() {
	case "net/http.NewRequest", "net/http.NewRequestWithContext":
		return true
	}
	return false
}
