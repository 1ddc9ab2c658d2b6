// Package people has the questions that a guard asks people, and their answers:
// the types and errors that approvers, step-up pages and clients hold.
//
// A [Question] is about one call. The caller's client answers it through an
// [Asker], or a person decides a [PendingQuestion] outside the client. A
// [StepUpRequest] sends a person to authenticate again. Everything that decides
// is in package guard: guard.People has the methods, and guard.WithPeople
// sets the parties that ask.
package people
