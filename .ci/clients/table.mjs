// Renders what ./run has collected, and holds the table of README.md to it:
// node table.mjs [-update]
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const readme = path.join(import.meta.dirname, 'README.md');
const [begin, end] = ['<!-- begin table -->\n', '<!-- end table -->'];
const clients = 4;

// The rows: what the fact is called, and the words for whether it held.
const rows = [
  ['tool _meta', 'tool `_meta`: the contract, nested', 'kept', 'lost'],
  ['hints', 'the four hints', 'kept', 'lost'],
  ['title', '`title`', 'kept', 'lost'],
  ['inputSchema', '`inputSchema`', 'kept', 'lost'],
  ['outputSchema', '`outputSchema`', 'kept', 'lost'],
  ['dotted names', 'names with a dot', 'kept', 'lost'],
  ['result _meta', 'result `_meta`: the outcome', 'kept', 'lost'],
  ['error _meta', 'the same on an error', 'kept', 'lost'],
  ['error text', 'text of an error, `[FATAL]` too', 'kept', 'lost'],
  ['structuredContent', '`structuredContent`', 'kept', 'lost'],
  ['unlisted names', 'a name that its list lacks', 'called', 'refused by the client'],
];

// cell says where a fact held: one word where it is the same everywhere.
function cell(held, yes, no) {
  const where = Object.keys(held ?? {}).sort();
  if (where.length === 0) throw new Error('a client has a fact that no scenario shows');
  if (where.every((at) => held[at])) return yes;
  if (where.every((at) => !held[at])) return no;
  return where.map((at) => `${at}: ${held[at] ? yes : no}`).join('; ');
}

const all = readdirSync(process.env.OBSERVED)
  .map((file) => JSON.parse(readFileSync(path.join(process.env.OBSERVED, file), 'utf8')))
  .sort((a, b) => (a.client.name < b.client.name ? -1 : 1));
if (all.length !== clients) throw new Error(`${all.length} clients were observed, not ${clients}`);
const line = (cells) => `| ${cells.join(' | ')} |\n`;
const table = [
  line(['', ...all.map(({ client }) => `${client.name} ${client.version}`)]),
  line(Array(all.length + 1).fill('---')),
  line(['speaks', ...all.map(({ client }) => client.eras.join(', '))]),
  ...rows.map(([fact, title, yes, no]) => line([title, ...all.map(({ facts }) => cell(facts[fact], yes, no))])),
].join('');
process.stdout.write(table);

const text = readFileSync(readme, 'utf8');
const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
if (from < begin.length || to < from) throw new Error('README.md has no place for the table');
if (text.slice(from, to) !== table) {
  if (process.argv[2] !== '-update') {
    console.error('clients: README.md has another table; if this one is right: .ci/clients/run -update');
    process.exit(1);
  }
  writeFileSync(readme, text.slice(0, from) + table + text.slice(to));
}
