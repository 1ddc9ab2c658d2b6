// Package dryrun declares previews: whether a tool has a dry run, and what the
// dry run returns.
//
// A dry run is a second function next to the handler. It computes what a call
// would do. A dry run never calls the handler.
//
//	func previewBulkSend(ctx context.Context, in BulkSendInput) (dryrun.Preview[BulkSendPreview], error)
//
//	contract.New("emails.bulk_send", bulkSend).DryRun(dryrun.By(previewBulkSend).Required())
//
// # Deviations and limits
//
// Nothing proves that a preview function has no effect, because the tool author
// writes it. The package only guarantees that a dry run does not call the
// handler.
package dryrun
