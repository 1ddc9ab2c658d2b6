// Renders the results that ./run has collected in DIR, and compares them with
// the tables in README.md: node table.mjs DIR [-update]
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const readme = path.join(import.meta.dirname, 'README.md');
const [, , dir, update] = process.argv;

// rows holds the facts, their titles, and the words for whether a fact held.
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

// cell renders where a fact held: one word if the result is the same
// everywhere.
function cell(held, yes, no) {
  const where = Object.keys(held ?? {}).sort();
  if (where.length === 0) throw new Error('a client has a fact that no scenario shows');
  if (where.every((at) => held[at])) return yes;
  if (where.every((at) => !held[at])) return no;
  return where.map((at) => `${at}: ${held[at] ? yes : no}`).join('; ');
}

// answered renders the results of an answer: one result if it is the same
// everywhere, else one for each protocol version if the transport does not
// matter.
function answered(seen) {
  const where = Object.keys(seen).sort();
  if (where.length === 0) throw new Error('a client lacks an answer');
  const by = (name) => {
    const groups = {};
    for (const at of where) (groups[name(at)] ??= new Set()).add(seen[at]);
    const all = Object.entries(groups);
    return all.every(([, cells]) => cells.size === 1) ? all.map(([group, cells]) => [group, ...cells]) : undefined;
  };
  const everywhere = by(() => '');
  if (everywhere) return everywhere[0][1];
  return (by((at) => at.split(' ')[0]) ?? by((at) => at)).map(([group, cell]) => `${group}: ${cell}`).join('; ');
}

// collected reads the files of a kind about the servers of an SDK, which must be
// from that many clients.
function collected(sdk, kind, clients) {
  const observed = path.join(dir, sdk, 'observed');
  const all = readdirSync(observed)
    .filter((file) => file.startsWith(`${kind}-`))
    .map((file) => JSON.parse(readFileSync(path.join(observed, file), 'utf8')))
    .sort((a, b) => (a.client.name < b.client.name ? -1 : 1));
  if (all.length !== clients) throw new Error(`${all.length} clients are in ${kind}, not ${clients}`);
  return all;
}

const line = (cells) => `| ${cells.join(' | ')} |\n`;

function table(all, rows) {
  return [line(['', ...all.map(({ client }) => `${client.name} ${client.version}`)]), line(Array(all.length + 1).fill('---')), ...rows].join('');
}

const { answers } = JSON.parse(readFileSync(path.join(import.meta.dirname, 'answers.json'), 'utf8'));

// results returns the clients and the rows of both tables about the servers of
// an SDK.
function results(sdk) {
  const kept = collected(sdk, 'kept', 4);
  const asking = collected(sdk, 'answers', 3);
  return {
    kept: {
      clients: kept,
      rows: [
        ['speaks', ...kept.map(({ client }) => client.eras.join(', '))],
        ...rows.map(([fact, title, yes, no]) => [title, ...kept.map(({ facts }) => cell(facts[fact], yes, no))]),
      ],
    },
    answers: { clients: asking, rows: answers.map(({ title }) => [title, ...asking.map(({ seen }) => answered(seen[title]))]) },
  };
}

// differences returns the cells in which the results of two servers differ.
function differences(a, b) {
  return Object.keys(a).flatMap((name) => a[name].rows.flatMap(([title, ...cells], i) => cells.flatMap((was, j) => {
    const is = b[name].rows[i][j + 1];
    return was === is ? [] : [line([title, a[name].clients[j].client.name, was, is])];
  })));
}

const ours = results('mcp-go');
const theirs = results('official');
const differing = differences(ours, theirs);
const tables = {
  kept: table(ours.kept.clients, ours.kept.rows.map(line)),
  answers: table(ours.answers.clients, ours.answers.rows.map(line)),
  official: differing.length === 0
    ? 'No cell differs.\n'
    : [line(['', 'client', 'mcp-go', 'official SDK']), line(Array(4).fill('---')), ...differing].join(''),
};

let text = readFileSync(readme, 'utf8');
let differs = false;
for (const [name, rendered] of Object.entries(tables)) {
  process.stdout.write(`${rendered}\n`);
  const begin = `<!-- begin ${name} -->\n`;
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(`<!-- end ${name} -->`)];
  if (from < begin.length || to < from) throw new Error(`README.md has no place for the table ${name}`);
  differs ||= text.slice(from, to) !== rendered;
  text = text.slice(0, from) + rendered + text.slice(to);
}
if (differs && update === '-update') {
  writeFileSync(readme, text);
} else if (differs) {
  console.error('clients: README.md has other tables; if these are right: .ci/clients/run -update');
  process.exit(1);
}
