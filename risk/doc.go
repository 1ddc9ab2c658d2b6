// Package risk is the vocabulary of how dangerous a tool is: its level, its
// effect, how far its changes can be undone, and the security level of older
// definitions.
//
//	if tool.Level.AtLeast(risk.High) {
//		// ask a person
//	}
//
// A [Level] is how much care a call needs; an [Effect] is what the call
// changes. The two are related: an effect has a lowest level ([Effect.Floor])
// and a level that applies if only the effect is declared
// ([Effect.DefaultLevel]). A [Reversibility] follows from the effect and the
// declared side effects, and a [Chain] sums up the calls of one session.
//
// # Guarantees
//
// The zero value of a level, an effect or a class means undeclared, and it
// never compares as lower: an undeclared level ranks above Forbidden, an
// undeclared effect behaves as Destructive, and an undeclared class as
// Irreversible. So do numbers outside the constants. Compare with AtLeast,
// never with <: the constants are ordered, but zero is the smallest number.
//
// Values of this package are plain numbers and safe for concurrent use. Their
// texts are the words of the contract document and do not change.
package risk
