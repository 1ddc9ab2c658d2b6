// Package dryrun is the vocabulary of previews: whether a tool offers a dry run, and what one returns.
//
// A dry run is a second function beside the handler. It computes what a call would do; the handler
// itself cannot run in a dry run, for nothing calls it there.
//
//	func previewBulkSend(ctx context.Context, in BulkSendInput) (dryrun.Preview[BulkSendPreview], error)
//
//	contract.New("emails.bulk_send", bulkSend).DryRun(dryrun.By(previewBulkSend).Required())
//
// # Deviations and limits
//
// Nothing proves that a preview function has no effect: it is the author's code. The package keeps the
// handler out of the dry run, no more.
package dryrun
