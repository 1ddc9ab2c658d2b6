// Package risk is the vocabulary of how dangerous a tool is: its level, its
// effect, and the security level of older definitions.
//
//	if tool.Level.AtLeast(risk.High) {
//		// ask a person
//	}
//
// A [Level] is how much care a call needs; an [Effect] is what the call
// changes. The two are related: an effect has a lowest level ([Effect.Floor])
// and a level that applies if only the effect is declared
// ([Effect.DefaultLevel]).
//
// # Guarantees
//
// The zero value of a level and of an effect is undeclared, and it never
// compares as lower: an undeclared level ranks above Forbidden, and an
// undeclared effect behaves as Destructive. So do numbers outside the
// constants. Compare with AtLeast, never with <: the constants are ordered, but
// zero is the smallest number.
//
// Values of this package are plain numbers and safe for concurrent use. Their
// texts are the words of the contract document and do not change.
package risk
