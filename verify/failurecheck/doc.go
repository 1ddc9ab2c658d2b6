// Package failurecheck compares the errors that the handlers of tools can
// return with the failures that the tools declare. It reads the source and runs
// no handler. It finds:
//
//   - failures that a handler can return and its tool does not declare
//   - errors that are no failures
//   - failures that a tool declares and no path of its handler returns
//
// Callers get the first two as internal_error, without their text.
//
// A test gives Check the built tools, so it knows everything that they declare:
//
//	func TestFailures(t *testing.T) { failurecheck.Check(t, tools...) }
//
// # Three answers
//
// A tool is contradicted, consistent or unknown, and none of these is a proof.
// Unknown is not a pass: the check lost the trace of an error. This happens if
// an error comes from a method of an interface, from a field, a map or a
// channel, or from a function value.
//
// # What is followed
//
// The check follows the error result of the handler and of the function of the
// dry run backwards: through variables, closures, calls within the module,
// errors.Join and the operands of %w. Wrap, At, Errorf, Hint and After keep the
// failure. A path is left out if a condition excludes the error, such as an
// earlier errors.Is, errors.As, errors.AsType or comparison with nil. The end
// of the context is no finding, because the guard has its own codes for it.
//
// A function of a package that does not depend on package contract is taken to
// return errors of its own, which are no failures, and those that it gets.
//
// # Allowed findings
//
// A comment allows the findings of its line and of the next one. At a return
// statement it allows all errors that this statement returns and that are no
// failures. The reason is required:
//
//	return err //failurecheck:allow a broken disk is an internal error
//
// # Guarantees
//
//   - Nothing is called, and no file is written.
//   - The same source gives the same verdicts, in the same order.
//   - Findings name the tool, the code, the place and the remedy, and never a
//     value of a caller.
package failurecheck
