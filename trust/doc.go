// Package trust declares how far the results of a tool may be trusted, and
// makes them safe to show and to read. [Sanitize] removes characters that hide
// or reorder text or control a terminal. [Delimit] marks text as data for the
// model that reads it.
//
//	clean, removed := trust.Sanitize(page)
//	if level.MayInject() {
//		clean = trust.Delimit(clean)
//	}
//
// # Guarantees
//
// The zero [Level] is undeclared and behaves as PromptInjectionProne. Sanitize
// is idempotent and takes time linear in its input. Every function is safe for
// concurrent use.
//
// # Deviations and limits
//
// Neither function understands a text. Sentences that try to instruct a model
// pass Sanitize unchanged. Delimit declares them as data, but cannot make a
// model obey.
package trust
