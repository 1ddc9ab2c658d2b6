// Package desk has the database of an airline's service desk, and what its
// tools do with it. It checks what the recorded tools of the benchmark check,
// and no more: what the desk's policy forbids is for the contracts.
package desk
