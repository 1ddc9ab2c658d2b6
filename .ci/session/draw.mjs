// Draws a terminal session as an animated SVG:
// node draw.mjs COMMAND < OUTPUT > FILE
// The recording has fixed times, so that equal output gives an equal file.
import { readFileSync } from 'node:fs';
import svgTerm from 'svg-term';

const [command] = process.argv.slice(2);
const output = readFileSync(0, 'utf8').trimEnd().split('\n');
const columns = 100;
const rows = 24;
const events = [];
let at = 0;
const print = (text, pause) => {
  at += pause;
  events.push([Number(at.toFixed(3)), 'o', text]);
};

print('$ ', 0.2);
for (const letter of command) print(letter, 0.03);
print('\r\n', 0.5);
for (const line of output) print(`${line}\r\n`, /^ ?\d+  /.test(line) ? 1.5 : 0.12);
print('$ ', 0.5);
print('', 4);

const header = { version: 2, width: columns, height: rows };
const cast = [header, ...events].map((record) => JSON.stringify(record)).join('\n');
process.stdout.write(svgTerm.render(cast, { width: columns, height: rows, window: true, cursor: false }));
