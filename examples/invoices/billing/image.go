package billing

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// An ImageOutput is the result of invoices.image. The image is beside it.
type ImageOutput struct {
	Invoice ledger.Invoice `json:"invoice"`
	Lines   []ledger.Line  `json:"lines"`
}

func (d *Desk) image(ctx context.Context, in InvoiceInput) (contract.Reply[ImageOutput], error) {
	var reply contract.Reply[ImageOutput]
	books := d.books(ctx)
	invoice, err := books.Invoice(ctx, in.Invoice)
	if err != nil {
		return reply, err
	}
	lines, err := books.Lines(ctx, in.Invoice)
	if err != nil {
		return reply, err
	}
	for i, line := range lines {
		if visible, _ := trust.Sanitize(line.Description); visible == "" {
			lines[i].Description = "(no visible description)" // callers see only visible characters
		}
	}
	picture, err := chart(lines, invoice.Total)
	reply.Out = ImageOutput{invoice, lines}
	reply.Content = []contract.Content{contract.ImageContent{Data: picture, MIMEType: "image/png"}}
	return reply, err
}

// The sizes of a chart, in pixels.
const (
	chartWidth = 320
	barHeight  = 16
	barGap     = 4
)

// chart draws a bar for each line, as long as its share of the total, as a PNG.
func chart(lines []ledger.Line, total ledger.Amount) ([]byte, error) {
	canvas := image.NewRGBA(image.Rect(0, 0, chartWidth, len(lines)*(barHeight+barGap)+barGap))
	draw.Draw(canvas, canvas.Bounds(), image.White, image.Point{}, draw.Src)
	blue := image.NewUniform(color.RGBA{R: 0x1f, G: 0x5f, B: 0xa8, A: 0xff})
	for i, line := range lines {
		top := barGap + i*(barHeight+barGap)
		width := int(float64(line.Total()) / float64(max(total, 1)) * (chartWidth - 2*barGap))
		draw.Draw(canvas, image.Rect(barGap, top, barGap+max(width, 1), top+barHeight), blue, image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	err := png.Encode(&out, canvas)
	return out.Bytes(), err
}

func (d *Desk) invoicesImage() contract.Buildable {
	return contract.New("invoices.image", d.image).
		From(defaults()).
		Title("Draw invoice").
		Description("Returns the lines of an invoice, and a chart of their shares as a PNG image.").
		Effect(risk.ReadOnly).
		Trust(trust.Untrusted). // people wrote the lines
		Permissions("invoices:read").
		Authorize(d.ownInvoice)
}
