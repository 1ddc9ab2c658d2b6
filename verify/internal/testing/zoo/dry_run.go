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
			Lying:  in(func(nb *notebook) Subject { return nb.generated(nb.previewByWriting) }),
			Honest: in(func(nb *notebook) Subject { return nb.generated(nb.previewFile) }),
		},
		{
			// A server started for dry runs makes the calls to the backend all
			// the same.
			Name: "preview_posts", Rule: RuleDryRunEffect, Source: "Mininglamp-OSS/octo-cli#177",
			Lie:    "A dry run makes the request of the call.",
			Lying:  in(func(nb *notebook) Subject { return nb.generated(nb.previewByPosting) }),
			Honest: in(func(nb *notebook) Subject { return nb.generated(nb.previewFile) }),
		},
		{
			Name: "preview_takes_a_number", Rule: RuleDryRunEffect,
			Lie:    "A dry run takes the next number, so that the call gets another one.",
			Lying:  in(func(nb *notebook) Subject { return nb.generated(nb.previewByCounting) }),
			Honest: in(func(nb *notebook) Subject { return nb.generated(nb.previewFile) }),
		},
		{
			// The preview of forget printed "messages dropped: 0", because the
			// messages were counted after the dry run had returned.
			Name: "preview_counts_nothing", Rule: RuleDryRunPreview, Source: "vshulcz/deja-vu#610",
			Lie:    "A preview has another number of deleted notes than the call.",
			Lying:  in(func(nb *notebook) Subject { return nb.cleared(nb.previewNothing) }),
			Honest: in(func(nb *notebook) Subject { return nb.cleared(nb.previewCleared) }),
		},
		{
			Name: "preview_names_another_file", Rule: RuleDryRunPreview,
			Lie:    "A preview names another file than that which the call writes.",
			Lying:  in(func(nb *notebook) Subject { return nb.generated(nb.previewOtherFile) }),
			Honest: in(func(nb *notebook) Subject { return nb.generated(nb.previewFile) }),
		},
	}
}

type fileOutput struct {
	File string `json:"file"`
}

func (nb *notebook) generated(preview func(context.Context, textInput) (dryrun.Preview[fileOutput], error)) Subject {
	return nb.subject(writing("notes.generate", "Writes a note to a file.", nb.generate).Failures(errStorage).
		DryRun(dryrun.By(preview)),
		textInput{"Water the plants."})
}

func (nb *notebook) cleared(preview func(context.Context, textInput) (dryrun.Preview[countOutput], error)) Subject {
	return nb.subject(writing("notes.clear", "Deletes the notes with a text.", nb.clear).DryRun(dryrun.By(preview)),
		textInput{"Buy milk."})
}

const generatedFile = "generated.txt"

func (nb *notebook) generate(_ context.Context, in textInput) (fileOutput, error) {
	if err := os.WriteFile(nb.path(generatedFile), []byte(in.Text), 0o600); err != nil {
		return fileOutput{}, errStorage.Wrap(err)
	}
	return fileOutput{generatedFile}, nil
}

func (nb *notebook) previewFile(context.Context, textInput) (dryrun.Preview[fileOutput], error) {
	return dryrun.Preview[fileOutput]{Data: fileOutput{generatedFile}}, nil
}

func (nb *notebook) previewByWriting(ctx context.Context, in textInput) (dryrun.Preview[fileOutput], error) {
	if _, err := nb.generate(ctx, in); err != nil {
		return dryrun.Preview[fileOutput]{}, err
	}
	return nb.previewFile(ctx, in)
}

func (nb *notebook) previewByPosting(ctx context.Context, in textInput) (dryrun.Preview[fileOutput], error) {
	nb.request(ctx, http.MethodPost, nb.env.Service+"/generate")
	return nb.previewFile(ctx, in)
}

func (nb *notebook) previewByCounting(ctx context.Context, in textInput) (dryrun.Preview[fileOutput], error) {
	nb.mu.Lock()
	nb.next++
	nb.mu.Unlock()
	return nb.previewFile(ctx, in)
}

func (nb *notebook) previewOtherFile(context.Context, textInput) (dryrun.Preview[fileOutput], error) {
	return dryrun.Preview[fileOutput]{Data: fileOutput{"other.txt"}}, nil
}

func (nb *notebook) clear(_ context.Context, in textInput) (countOutput, error) {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	var out countOutput
	for id, n := range nb.notes {
		if n.Text == in.Text {
			delete(nb.notes, id)
			out.Count++
		}
	}
	return out, nil
}

func (nb *notebook) previewCleared(_ context.Context, in textInput) (dryrun.Preview[countOutput], error) {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	var p dryrun.Preview[countOutput]
	for _, n := range nb.notes {
		if n.Text == in.Text {
			p.Data.Count++
		}
	}
	return p, nil
}

func (nb *notebook) previewNothing(context.Context, textInput) (dryrun.Preview[countOutput], error) {
	return dryrun.Preview[countOutput]{}, nil
}
