package fuzz

import (
	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/contracttest/observe"
)

// A source draws with package rapid, which shrinks a failing case.
type source struct{ t *rapid.T }

// Uint returns a number from 0 to most.
func (s source) Uint(most uint64) uint64 { return rapid.Uint64Range(0, most).Draw(s.t, "") }

// List calls item for each element of a list.
func (s source) List(least, most int, item func(observe.Source)) {
	rapid.SliceOfN(rapid.Custom(func(t *rapid.T) struct{} {
		rapid.Bool().Draw(t, "") // a generator must draw something
		item(source{t})
		return struct{}{}
	}), least, most).Draw(s.t, "")
}
