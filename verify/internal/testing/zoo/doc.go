// Package zoo has tools whose contracts lie, one lie each, every one next to an
// honest twin. Tests run every technique that judges contracts on all of them:
// it should find each lie and suspect no twin.
//
// A lie and its twin differ in one thing. Usually that is the handler, and both
// have the same contract. If the lie is in the contract, both have the same
// handler.
//
// About half of the lies were published in servers that people use. The comment
// and the Source of such an entry name the repository and the thread.
//
// The tools are harmless. They write below the folders of [Env], send only to
// Env's services on the loopback interface, and start only Env's program. The
// address outside the machine is a multicast address: no system opens a TCP
// connection to it, or sends a packet in the attempt.
//
// Only tests import this package.
package zoo
