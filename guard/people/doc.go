// Package people has the questions that a guard asks people, and their answers:
// the types and errors that approvers, step-up pages and clients work with.
//
// A [Question] is about one call. The caller's client answers it through an
// [Asker], or a person decides a [PendingQuestion] outside the client. A
// [StepUpRequest] sends a person to authenticate again. Decisions are made in
// package guard: guard.People has the methods, and guard.WithPeople sets who
// asks.
package people
