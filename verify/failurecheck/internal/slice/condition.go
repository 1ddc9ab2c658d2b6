package slice

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// reaching returns what the conditions between the definition of v and block b
// let pass.
func (e *evaluation) reaching(v ssa.Value, b *ssa.BasicBlock) Mask {
	if e.masks[v] == nil {
		e.masks[v] = e.spread(v, b.Parent())
	}
	return e.masks[v][b.Index]
}

// spread returns which errors of v reach each block of a function.
func (e *evaluation) spread(v ssa.Value, fn *ssa.Function) []Mask {
	masks := make([]Mask, len(fn.Blocks))
	start := fn.Blocks[0]
	if instr, ok := v.(ssa.Instruction); ok && instr.Parent() == fn {
		start = instr.Block()
	}
	masks[start.Index] = everything()
	for work := []*ssa.BasicBlock{start}; len(work) > 0; {
		from := work[0]
		work = work[1:]
		for _, to := range from.Succs {
			wider := masks[to.Index].or(masks[from.Index].and(e.edge(v, from, to)))
			if to != start && !wider.equal(masks[to.Index]) {
				masks[to.Index] = wider
				work = append(work, to)
			}
		}
	}
	return masks
}

// edge returns what the branch from one block to the next lets pass.
func (e *evaluation) edge(v ssa.Value, from, to *ssa.BasicBlock) Mask {
	next := branches(from)
	if len(next) != 2 || next[0] == next[1] {
		return everything()
	}
	return e.condition(v, from, next[0] == to)
}

// branches returns the two blocks after a condition, or none.
func branches(b *ssa.BasicBlock) []*ssa.BasicBlock {
	if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		return b.Succs
	}
	return nil
}

// condition returns what the condition at the end of a block lets pass of v.
func (e *evaluation) condition(v ssa.Value, b *ssa.BasicBlock, holds bool) Mask {
	cond := b.Instrs[len(b.Instrs)-1].(*ssa.If).Cond
	for {
		negated, ok := cond.(*ssa.UnOp)
		if !ok || negated.Op != token.NOT {
			break
		}
		cond = negated.X
		holds = !holds
	}
	switch c := cond.(type) {
	case *ssa.BinOp:
		return e.comparison(v, c, holds)
	case *ssa.Call:
		return e.errorTest(v, c, holds)
	case *ssa.Extract: // e, ok := errors.AsType[*contract.Error](err)
		call, ok := c.Tuple.(*ssa.Call)
		if ok && c.Index == 1 && isAsType(call) && call.Call.Args[0] == v {
			return failuresIf(holds)
		}
	}
	return everything()
}

// comparison reads v == nil, v != nil and v == ErrX.
func (e *evaluation) comparison(v ssa.Value, c *ssa.BinOp, holds bool) Mask {
	if c.Op != token.EQL && c.Op != token.NEQ {
		return everything()
	}
	other := c.Y
	if c.Y == v {
		other = c.X
	} else if c.X != v {
		return everything()
	}
	equal := (c.Op == token.EQL) == holds
	if !equal {
		return everything()
	}
	if k, ok := other.(*ssa.Const); ok && k.IsNil() {
		return Mask{}
	}
	if code, ok := e.codeOf(other); ok {
		return onlyCode(code)
	}
	return everything()
}

// errorTest reads errors.Is(v, ErrX) and errors.As(v, &e).
func (e *evaluation) errorTest(v ssa.Value, c *ssa.Call, holds bool) Mask {
	args := c.Call.Args
	if len(args) != 2 || args[0] != v {
		return everything()
	}
	switch nameOf(c.Call.StaticCallee()) {
	case name{pkg: "errors", fn: "Is"}:
		if code, ok := e.codeOf(args[1]); ok && holds {
			return onlyCode(code)
		} else if ok {
			return notCode(code)
		}
	case name{pkg: "errors", fn: "As"}:
		if target, ok := args[1].(*ssa.MakeInterface); ok && isError(elem(elem(target.X.Type()))) {
			return failuresIf(holds)
		}
	}
	return everything()
}

// elem returns the type that t points to, or t if it is not a pointer.
func elem(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// codeOf returns the code of a value that is the failure in a package variable.
func (e *evaluation) codeOf(v ssa.Value) (string, bool) {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return e.codeOf(v.X)
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL {
			return e.slicer.CodeOf(g)
		}
	}
	return "", false
}

// isAsType reports whether a call is errors.AsType[*contract.Error].
func isAsType(c *ssa.Call) bool {
	callee := c.Call.StaticCallee()
	if nameOf(callee) != (name{pkg: "errors", fn: "AsType"}) {
		return false
	}
	args := callee.TypeArgs()
	return len(args) == 1 && isError(args[0])
}
