package zoo

import (
	"context"
	"net/http"
	"os"

	"github.com/toolcontract/toolcontract/dryrun"
)

func dryRuns() []Entry {
	return []Entry{
		{
			// "You specified the dry-run flag, so no changes will be written",
			// yet the files it creates remain.
			Name: "preview_creates_files", Rule: RuleDryRunEffect, Source: "ember-cli/ember-cli#1254",
			Lie:    "A dry run creates the file that the call would create.",
			Lying:  in(func(w *world) Subject { return w.generated(w.previewByWriting) }),
			Honest: in(func(w *world) Subject { return w.generated(w.previewFile) }),
		},
		{
			// A server started for dry runs makes the calls to the backend all
			// the same.
			Name: "preview_posts", Rule: RuleDryRunEffect, Source: "Mininglamp-OSS/octo-cli#177",
			Lie:    "A dry run makes the request of the call.",
			Lying:  in(func(w *world) Subject { return w.generated(w.previewByPosting) }),
			Honest: in(func(w *world) Subject { return w.generated(w.previewFile) }),
		},
		{
			Name: "preview_takes_a_number", Rule: RuleDryRunEffect,
			Lie:    "A dry run takes the next number, so that the call gets another one.",
			Lying:  in(func(w *world) Subject { return w.generated(w.previewByCounting) }),
			Honest: in(func(w *world) Subject { return w.generated(w.previewFile) }),
		},
		{
			// The preview of forget printed "messages dropped: 0", because the
			// messages were counted after the dry run had returned.
			Name: "preview_counts_nothing", Rule: RuleDryRunPreview, Source: "vshulcz/deja-vu#610",
			Lie:    "A preview has another number of deleted notes than the call.",
			Lying:  in(func(w *world) Subject { return w.cleared(w.previewNothing) }),
			Honest: in(func(w *world) Subject { return w.cleared(w.previewCleared) }),
		},
		{
			Name: "preview_names_another_file", Rule: RuleDryRunPreview,
			Lie:    "A preview names another file than that which the call writes.",
			Lying:  in(func(w *world) Subject { return w.generated(w.previewOtherFile) }),
			Honest: in(func(w *world) Subject { return w.generated(w.previewFile) }),
		},
	}
}

type fileOutput struct {
	File string `json:"file"`
}

func (w *world) generated(preview func(context.Context, textInput) (dryrun.Preview[fileOutput], error)) Subject {
	return w.subject(writing("notes.generate", "Writes a note to a file.", w.generate).Failures(errStorage).
		DryRun(dryrun.By(preview)),
		textInput{"Water the plants."})
}

func (w *world) cleared(preview func(context.Context, textInput) (dryrun.Preview[countOutput], error)) Subject {
	return w.subject(writing("notes.clear", "Deletes the notes with a text.", w.clear).DryRun(dryrun.By(preview)),
		textInput{"Buy milk."})
}

const generatedFile = "generated.txt"

func (w *world) generate(_ context.Context, in textInput) (fileOutput, error) {
	if err := os.WriteFile(w.path(generatedFile), []byte(in.Text), 0o600); err != nil {
		return fileOutput{}, errStorage.Wrap(err)
	}
	return fileOutput{generatedFile}, nil
}

func (w *world) previewFile(context.Context, textInput) (dryrun.Preview[fileOutput], error) {
	return dryrun.Preview[fileOutput]{Data: fileOutput{generatedFile}}, nil
}

func (w *world) previewByWriting(ctx context.Context, in textInput) (dryrun.Preview[fileOutput], error) {
	if _, err := w.generate(ctx, in); err != nil {
		return dryrun.Preview[fileOutput]{}, err
	}
	return w.previewFile(ctx, in)
}

func (w *world) previewByPosting(ctx context.Context, in textInput) (dryrun.Preview[fileOutput], error) {
	w.request(ctx, http.MethodPost, w.env.Service+"/generate")
	return w.previewFile(ctx, in)
}

func (w *world) previewByCounting(ctx context.Context, in textInput) (dryrun.Preview[fileOutput], error) {
	w.mu.Lock()
	w.next++
	w.mu.Unlock()
	return w.previewFile(ctx, in)
}

func (w *world) previewOtherFile(context.Context, textInput) (dryrun.Preview[fileOutput], error) {
	return dryrun.Preview[fileOutput]{Data: fileOutput{"other.txt"}}, nil
}

func (w *world) clear(_ context.Context, in textInput) (countOutput, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out countOutput
	for id, n := range w.notes {
		if n.Text == in.Text {
			delete(w.notes, id)
			out.Count++
		}
	}
	return out, nil
}

func (w *world) previewCleared(_ context.Context, in textInput) (dryrun.Preview[countOutput], error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var p dryrun.Preview[countOutput]
	for _, n := range w.notes {
		if n.Text == in.Text {
			p.Data.Count++
		}
	}
	return p, nil
}

func (w *world) previewNothing(context.Context, textInput) (dryrun.Preview[countOutput], error) {
	return dryrun.Preview[countOutput]{}, nil
}
