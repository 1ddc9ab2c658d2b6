package desk

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// draw returns a label with stripes as a PNG image.
func draw(width int) ([]byte, error) {
	label := image.NewGray(image.Rect(0, 0, width, 16))
	for x := range width {
		for y := range 16 {
			label.SetGray(x, y, color.Gray{Y: uint8(x % 4 * 80)})
		}
	}
	var data bytes.Buffer
	err := png.Encode(&data, label)
	return data.Bytes(), err
}
