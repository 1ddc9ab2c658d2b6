// Package failurecheck compares the errors that tool handlers can return with
// the failures that the tools declare. It reads the source and runs no handler.
// It finds:
//
//   - failures that a handler can return but its tool does not declare
//   - errors that are not failures
//   - failures that a tool declares but no path of its handler returns
//
// Callers see the first two as internal_error, without their text.
//
// A test passes the built tools to Check, so Check knows everything they
// declare:
//
//	func TestFailures(t *testing.T) { failurecheck.Check(t, tools...) }
//
// # Three answers
//
// A tool is contradicted, consistent or unknown, and none of these is a proof.
// Unknown is not a pass: the check lost track of an error. This happens if an
// error comes from an interface method, from a field, a map or a channel, or
// from a function value.
//
// # What is followed
//
// The check follows the error result of the handler and of the dry-run function
// backwards: through variables, closures, calls within the module, errors.Join
// and the operands of %w. Wrap, At, Errorf, Hint and After keep the failure. A
// path is left out if a condition rules the error out, such as an earlier
// errors.Is, errors.As, errors.AsType or comparison with nil. The context
// ending is not a finding, because the guard has its own codes for that.
//
// A function of a package that does not depend on package contract is assumed
// to return errors of its own, which are not failures, and any errors passed to
// it.
//
// # Allowed findings
//
// A comment allows the findings on its line and the next one. At a return
// statement, it allows every error that the statement returns and that is not a
// failure. A reason is required:
//
//	return err //failurecheck:allow a broken disk is an internal error
//
// # Guarantees
//
//   - Nothing is called, and no file is written.
//   - The same source gives the same verdicts, in the same order.
//   - Findings name the tool, the code, the place and the remedy, and never
//     contain a caller's values.
package failurecheck
