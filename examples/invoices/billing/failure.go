package billing

import (
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
)

// The failures of the tools. Those that can pass are retryable, because fatal
// ones would still be replayed then.
var (
	ErrTotal        = contract.Retryable("total_too_high", "The total of the invoice is above 9,999,999,999.99.")
	ErrPaid         = contract.Fatal("invoice_paid", "The invoice is paid. It can only be refunded.")
	ErrVoid         = contract.Fatal("invoice_void", "The invoice is void.")
	ErrNotPaid      = contract.Retryable("invoice_not_paid", "The invoice is not paid, so that nothing can be refunded.")
	ErrRefundAmount = contract.Retryable("refund_amount", "The amount is zero, or more than is left to refund.")
)

// failures has the failure of each error of the ledger that callers may learn.
var failures = []struct{ of, failure error }{
	{ledger.ErrTotal, ErrTotal.At("/lines")},
	{ledger.ErrPaid, ErrPaid.Hint("Use refunds.issue instead.")},
	{ledger.ErrVoid, ErrVoid},
	{ledger.ErrNotPaid, ErrNotPaid.At("/invoice")},
	{ledger.ErrRefundAmount, ErrRefundAmount.At("/refund").Hint("invoices.search shows total and refunded.")},
}

// failed returns the failure for an error of the ledger. Other errors stay as
// they are, and reach callers as internal_error.
func failed(err error) error {
	for _, f := range failures {
		if errors.Is(err, f.of) {
			return f.failure
		}
	}
	return err //failurecheck:allow a broken database is an internal error
}
