// Package payouts has the contracts of a company's account and its payouts, and
// holds both in memory.
package payouts
