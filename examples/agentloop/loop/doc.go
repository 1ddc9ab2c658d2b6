// Package loop runs a model with tools. It is an example: copy it into your
// program and change it there. It needs nothing but the public packages of the
// library.
//
//   - [Run] is the loop, and [Task] is what it works on.
//   - plan.go decides about each call, by an [agent.Policy] and by what the run
//     did before.
//   - calls.go makes the calls of one turn.
//   - [State] is a run as data. Store it with [Task.Save], and give it to the
//     next [Run] after a restart.
//
// A call is made by an [agent.Agent], which does what the contract of the tool
// demands. The loop adds what only a whole run can know: limits, equal calls,
// and which calls were under way when the process ended.
package loop
