// Package payouts has the contracts of a company's account and the payouts that
// wait to leave it, over a desk that is in memory.
package payouts
