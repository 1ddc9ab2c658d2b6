// Package zoo has tools whose contracts lie, each with one lie and beside it an
// honest twin. Tests run every technique that judges contracts over all of
// them: each lie should be found, and no twin suspected.
//
// A lie and its twin differ in one thing. Mostly that is the handler, and both
// have the same contract. If the lie is in the contract, both have the same
// handler.
//
// About half of the lies were published in servers that people use. The comment
// of such an entry and its Source name the repository and the thread.
//
// The tools are harmless. They write below the folders of [Env], send only to
// services of Env on the loopback interface, and start only the program of Env.
// The address outside the machine is a multicast address, to which no system
// opens a TCP connection or sends a packet for the attempt.
//
// Only tests import this package.
package zoo
