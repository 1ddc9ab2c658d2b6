// Package consent asks people whether a call may run, and sends them to
// authenticate again for it.
//
// The types that users see, such as people.Question, are in package people. The
// pipeline of the guard calls [Service.Confirm] and [Service.StepUp]. The
// methods of guard.People call those of [Service] with the same names.
//
// # How it decides
//
// Two state machines decide the next step: [confirmation] for the question
// whether the call may run, and [authentication] for step-up. Each is a value
// with what is known so far, and its method next returns a step. It has no side
// effects, no clock and no store, so it can be tested by a table. The service
// takes the step: it asks, reads the store, or ends the call. Then it adds what
// it learned and calls next again.
//
// # Where things are
//
//   - question.go: the text that a person reads.
//   - answer.go: reading the answer of a client.
//   - state.go: the sealed state that a client carries between calls.
//   - declines.go: how long a declined question is remembered, and for whom.
//   - confirmation.go, confirm.go: the state machine, and the service that
//     takes its steps.
//   - approval.go, decide.go: questions outside the client and their rulings.
//   - sending.go: sending the client's user to the page of the approver.
//   - waiting.go: questions that wait for their answers within a call.
//   - kept_answers.go: answers given while a call waited that then never ran.
//   - authentication.go, step_up.go, step_up_page.go: the same for step-up.
//   - session.go: the values that the pipeline and this package exchange.
package consent
