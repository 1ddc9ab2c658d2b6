// Package trust is the vocabulary of how far what a tool returns may be trusted, and the means to make
// it harmless to show and to read: [Sanitize] removes what hides, reorders or drives a terminal,
// [Delimit] marks text as data for the model that reads it.
//
//	clean, removed := trust.Sanitize(page)
//	if level.MayInject() {
//		clean = trust.Delimit(clean)
//	}
//
// # Guarantees
//
// The zero [Level] is undeclared and behaves as PromptInjectionProne. Sanitize is idempotent and takes
// time linear in its input. Every function is safe for concurrent use.
//
// # Deviations and limits
//
// Neither function judges what a text says. Sentences that try to instruct a model pass Sanitize as
// they are, and Delimit tells a model what they are without being able to make it listen.
package trust
