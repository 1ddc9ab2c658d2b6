// Package consent asks people: whether a call may happen, and to authenticate
// again for it.
//
// Users of package guard meet its types: [Question], [PendingQuestion],
// [Ruling] and [StepUpRequest]. The rest serves package guard, whose pipeline
// calls [Desk.Confirm] and [Desk.StepUp], and whose methods Decide,
// OpenQuestion, OpenStepUp and CompleteStepUp lead here.
//
// # How it decides
//
// Two state machines decide what to do next: [confirmation] about a question
// whether the call may happen, [authentication] about step-up. Each is a value
// with what is known so far, and its method next returns a step. It has no
// effects, no clock and no store, so a table tests it. The desk takes the step:
// it asks, reads the store, or ends the call. Then it adds what it found out
// and asks the machine again.
//
// # Where things are
//
//   - question.go: what a person reads.
//   - answer.go: how the answer of a client is read.
//   - state.go: the sealed state that a client carries between calls.
//   - declines.go: how long a declined question is remembered, and for whom.
//   - confirmation.go, confirm.go: the machine, and the desk that takes its
//     steps.
//   - approval.go, decide.go: questions outside the client and their rulings.
//   - authentication.go, step_up.go, step_up_page.go: the same for step-up.
//   - session.go: how the pipeline and this package meet.
package consent
