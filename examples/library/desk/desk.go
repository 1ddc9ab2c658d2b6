// Package desk has the contracts for the desk of a public library: what a model
// may look up, what it may change, and what a person confirms.
package desk

import (
	"context"
	"database/sql"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A Desk offers the tools. It is safe for concurrent use once Open has
// returned.
type Desk struct {
	// DB has the tables. Open sets it.
	DB *sql.DB
}

type (
	// A Book is a book of the library.
	Book struct {
		ID     string `json:"id"`
		Title  string `json:"title"`
		Author string `json:"author"`
		Holds  int    `json:"holds" jsonschema_description:"How many members wait for it."`
		OnLoan bool   `json:"onLoan"`
	}
	// A Member is a member of the library.
	Member struct {
		Card     string `json:"card"`
		Name     string `json:"name"`
		FeeCents int    `json:"feeCents"`
	}
	// A Books is a list of books.
	Books struct {
		Books []Book `json:"books"`
	}
	// A Number is the number of a hold or of a loan.
	Number struct {
		Number int64 `json:"number"`
	}
	// A BookInput names a book.
	BookInput struct {
		Book string `json:"book" jsonschema:"minLength=1,maxLength=40" jsonschema_description:"Id of the book, from catalogue.search."`
	}
	// A MemberInput names a member.
	MemberInput struct {
		Card string `json:"card" jsonschema:"minLength=1,maxLength=40" jsonschema_description:"Number on the member's card."`
	}
	// A BookFor names a book and the member who gets it.
	BookFor struct {
		BookInput
		MemberInput
	}
)

// The failures of the tools.
var (
	ErrNoBook    = contract.Retryable("no_book", "The library has no such book; search the catalogue.")
	ErrNoMember  = contract.Retryable("no_member", "No member has this card.")
	ErrNoLoan    = contract.Fatal("no_loan", "The book is not on loan.")
	ErrOnLoan    = contract.Fatal("on_loan", "The book is on loan; place a hold.")
	ErrNoHold    = contract.Fatal("no_hold", "The hold is not there, or was cancelled.")
	ErrHasMember = contract.Fatal("card_taken", "Another member has this card.")
)

var defaults = contract.Base{Version: "1.0.0", Category: "library", Trust: trust.Trusted}

// once makes a call's change commit together with its record.
var once = contract.Idempotency{Mode: idempotency.Managed, ClientKey: true, Atomic: true, Retention: 24 * time.Hour}

func changes(description string, undo contract.Undo) contract.SideEffect {
	return contract.SideEffect{Description: description, Reach: contract.Internal, Undo: undo}
}

// Tools returns the tools of the desk.
func (d *Desk) Tools() ([]*contract.Tool, error) {
	return contract.BuildAll(
		d.search(), d.get(), d.lookup(), d.overdue(),
		d.register(), d.lend(), d.renew(), d.giveBack(),
		d.PlaceHold("holds.place", "reservations.create"), d.cancelHold(), d.withdraw(),
	)
}

func (d *Desk) search() contract.Buildable {
	type input struct {
		Text string `json:"text" jsonschema:"minLength=1,maxLength=80" jsonschema_description:"Part of a title or of an author's name."`
	}
	return contract.New("catalogue.search", func(ctx context.Context, in input) (Books, error) {
		found, err := d.books(ctx, "instr(lower(title || ' ' || author), lower(?)) > 0", in.Text)
		return Books{found}, err
	}).From(defaults).Description("Finds books.").Effect(risk.ReadOnly).Permissions("catalogue:read")
}

func (d *Desk) get() contract.Buildable {
	return contract.New("catalogue.get", func(ctx context.Context, in BookInput) (Book, error) { return d.book(ctx, in.Book) }).
		From(defaults).Description("Shows a book, and who waits for it.").Effect(risk.ReadOnly).Permissions("catalogue:read").
		Failures(ErrNoBook)
}

func (d *Desk) lookup() contract.Buildable {
	return contract.New("members.get", func(ctx context.Context, in MemberInput) (Member, error) { return d.member(ctx, in.Card) }).
		From(defaults).Description("Shows a member and the fees that are due.").Effect(risk.ReadOnly).Permissions("members:read").
		Failures(ErrNoMember)
}

func (d *Desk) overdue() contract.Buildable {
	return contract.New("reports.on_loan", func(ctx context.Context, _ struct{}) (Books, error) {
		found, err := d.books(ctx, "EXISTS (SELECT 1 FROM loans WHERE book = id AND NOT returned)")
		return Books{found}, err
	}).From(defaults).Description("Lists the books that are on loan.").Effect(risk.ReadOnly).Permissions("catalogue:read")
}

func (d *Desk) register() contract.Buildable {
	type input struct {
		MemberInput

		Name string `json:"name" jsonschema:"minLength=1,maxLength=80"`
	}
	return contract.New("members.register", func(ctx context.Context, in input) (Member, error) {
		_, err := change(ctx, `INSERT OR IGNORE INTO members (card, name) VALUES (?, ?)`, in.Card, in.Name)
		return Member{Card: in.Card, Name: in.Name}, failed(err, ErrHasMember)
	}).From(defaults).Description("Registers a member.").Effect(risk.LowRiskWrite).Permissions("members:write").
		SideEffects(changes("One more member is registered.", contract.Reversible)).Failures(ErrHasMember).Idempotency(once)
}

func (d *Desk) lend() contract.Buildable {
	return contract.New("loans.lend", func(ctx context.Context, in BookFor) (Number, error) {
		n, err := change(ctx, `INSERT INTO loans (book, card) SELECT id, card FROM books, members WHERE id = ? AND card = ? AND NOT withdrawn
			AND NOT EXISTS (SELECT 1 FROM loans WHERE book = id AND NOT returned)`, in.Book, in.Card)
		return Number{n}, failed(err, ErrOnLoan)
	}).From(defaults).Description("Lends a book to a member.").Effect(risk.LowRiskWrite).Permissions("loans:write").
		Precheck(d.exists).SideEffects(changes("The book is on loan.", contract.Reversible)).
		Failures(ErrNoBook, ErrNoMember, ErrOnLoan).Idempotency(once).
		ReplayWhile(func(ctx context.Context, in BookFor, _ Number) (bool, error) {
			b, err := d.book(ctx, in.Book)
			return b.OnLoan, err
		})
}

func (d *Desk) renew() contract.Buildable {
	return contract.New("loans.renew", func(ctx context.Context, in BookInput) (struct{}, error) {
		_, err := change(ctx, `UPDATE loans SET returned = 0 WHERE book = ? AND NOT returned`, in.Book)
		return struct{}{}, failed(err, ErrNoLoan)
	}).From(defaults).Description("Renews a loan.").Effect(risk.LowRiskWrite).Permissions("loans:write").
		SideEffects(changes("The book is due later.", contract.Reversible)).Failures(ErrNoLoan).Idempotency(once)
}

func (d *Desk) giveBack() contract.Buildable {
	return contract.New("loans.return", func(ctx context.Context, in BookInput) (struct{}, error) {
		_, err := change(ctx, `UPDATE loans SET returned = 1 WHERE book = ? AND NOT returned`, in.Book)
		return struct{}{}, failed(err, ErrNoLoan)
	}).From(defaults).Description("Takes a book back.").Effect(risk.LowRiskWrite).Permissions("loans:write").
		SideEffects(changes("The book can be lent again.", contract.Reversible)).Failures(ErrNoLoan).Idempotency(once).
		ReplayWhile(func(ctx context.Context, in BookInput, _ struct{}) (bool, error) {
			b, err := d.book(ctx, in.Book)
			return !b.OnLoan, err
		})
}

// PlaceHold returns the tool that reserves a book, under its name and its older
// names. An equal call can place a cancelled hold again.
func (d *Desk) PlaceHold(name string, olderNames ...string) contract.Buildable {
	return contract.New(name, func(ctx context.Context, in BookFor) (Number, error) {
		n, err := change(ctx, `INSERT INTO holds (book, card) VALUES (?, ?)`, in.Book, in.Card)
		return Number{n}, err
	}).From(defaults).Aliases(olderNames...).Description("Reserves a book for a member.").
		Effect(risk.LowRiskWrite).Permissions("holds:write").
		Precheck(d.exists).SideEffects(changes("The member waits for the book.", contract.Reversible)).
		Failures(ErrNoBook, ErrNoMember).Idempotency(once).
		ReplayWhile(func(ctx context.Context, _ BookFor, placed Number) (bool, error) { return d.isHeld(ctx, placed.Number) })
}

func (d *Desk) cancelHold() contract.Buildable {
	return contract.New("holds.cancel", func(ctx context.Context, in Number) (struct{}, error) {
		_, err := change(ctx, `UPDATE holds SET cancelled = 1 WHERE number = ? AND NOT cancelled`, in.Number)
		return struct{}{}, failed(err, ErrNoHold)
	}).From(defaults).Description("Cancels a hold.").Effect(risk.LowRiskWrite).Permissions("holds:write").
		SideEffects(changes("The member waits no longer.", contract.Reversible)).Failures(ErrNoHold).Idempotency(once)
}

func (d *Desk) withdraw() contract.Buildable {
	return contract.New("books.withdraw", func(ctx context.Context, in BookInput) (struct{}, error) {
		_, err := change(ctx, `UPDATE books SET withdrawn = 1 WHERE id = ? AND NOT withdrawn`, in.Book)
		return struct{}{}, failed(err, ErrNoBook)
	}).From(defaults).Description("Withdraws a book from the library for good.").
		Effect(risk.Destructive).Permissions("books:withdraw").
		SideEffects(changes("The book is in no catalogue any more.", contract.Irreversible)).Failures(ErrNoBook).Idempotency(once).
		DryRun(dryrun.By(func(ctx context.Context, in BookInput) (dryrun.Preview[Book], error) {
			b, err := d.book(ctx, in.Book)
			return dryrun.Preview[Book]{Data: b}, err
		}).Required())
}

// exists checks the book and the member before anything is recorded.
func (d *Desk) exists(ctx context.Context, in BookFor) error {
	if _, err := d.book(ctx, in.Book); err != nil {
		return err
	}
	_, err := d.member(ctx, in.Card)
	return err
}
