// Package counter has the tools of an airline's service desk. Their contracts
// carry the policy of the desk, and package desk does what they ask for.
package counter
