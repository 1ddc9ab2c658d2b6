// Lets one client ask a person before an email is sent, in each era that it
// speaks, over stdio and HTTP, with every answer of answers.json. play.mjs
// describes drivers. The third argument of connect is the person:
//
//   capabilities  the capabilities that the client declares
//   answer(form)  returns the answer to a form
//
// Each answer has a server of its own, because a declined call is remembered.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { outcomeKey, writeAnswers } from './observed.mjs';
import { eras } from './play.mjs';
import { program, serveHTTP, wire } from './server.mjs';

const { example, token, tool, arguments: args, answers } = JSON.parse(readFileSync(path.join(import.meta.dirname, 'answers.json'), 'utf8'));

// patience bounds a call that hangs, in milliseconds.
const patience = 60_000;

// asking is the _meta of a client of the modern era that shows forms.
const asking = {
  'io.modelcontextprotocol/protocolVersion': eras.modern,
  'io.modelcontextprotocol/clientInfo': { name: 'clients', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

// comparable returns the shown form without the name of the person, which
// differs by transport.
function comparable({ message, requestedSchema }) {
  return { message: message.replace(/ on behalf of .*/, ''), requestedSchema };
}

// target starts a server over HTTP with its audit log below dir. Over stdio the
// client starts the server, possibly twice.
async function target(transport, dir) {
  if (transport === 'stdio') {
    return { command: 'sh', args: ['-c', 'exec "$0" -names dotted -audit "$1/$$.jsonl"', program(example), dir], async stop() {} };
  }
  const server = await serveHTTP(example, ['-names', 'dotted', '-audit', path.join(dir, 'audit.jsonl')]);
  return { url: server.url, token, stop: server.stop };
}

// ended returns the terminal events of the tool in the audit logs below dir.
function ended(dir) {
  return readdirSync(dir)
    .flatMap((file) => readFileSync(path.join(dir, file), 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line))
    .filter((e) => e.event === 'terminal' && e.tool === tool);
}

export function confirm(driver) {
  const seen = Object.fromEntries(answers.map(({ title }) => [title, {}]));
  let question;
  before(async () => {
    const server = wire(example, ['-names', 'dotted']);
    const result = await server.request('tools/call', { name: tool, arguments: args, _meta: asking });
    await server.close();
    question = comparable(result.inputRequests.confirm.params);
  });
  after(() => writeAnswers({ name: driver.name, version: driver.version }, seen));

  for (const era of driver.eras) {
    for (const transport of ['stdio', 'HTTP']) {
      const where = `${eras[era]} over ${transport}`;
      describe(`${driver.name} on ${where}: a person`, { concurrency: 2 }, () => {
        for (const a of answers) {
          test(a.title, { timeout: patience }, async () => {
            const dir = mkdtempSync(path.join(tmpdir(), 'toolcontract-answers-'));
            const asked = [];
            try {
              const server = await target(transport, dir);
              const session = await driver.connect(era, server, {
                capabilities: a.capabilities ?? { elicitation: {} },
                answer(form) {
                  asked.push(comparable(form));
                  if (a.fails) throw new Error('nobody is there');
                  return a.answer;
                },
              });
              const { result, error } = await session.call(tool, args);
              await session.close();
              await server.stop();

              // An error comes from the client, which has sent no answer.
              const ends = ended(dir);
              assert.equal(ends.length, error ? 0 : 1);
              const sent = ends.filter((e) => e.decision === 'allow').length;
              assert.equal(sent, a.sent ?? 0);
              for (const form of asked) assert.deepEqual(form, question);
              const outcome = error ? `error ${error.code ?? 'of the client'}` : result._meta[outcomeKey].code ?? result._meta[outcomeKey].status;
              assert.equal(outcome === 'ok', a.sent === 1);
              seen[a.title][where] = `\`${outcome}\`, asked ${asked.length}, sent ${sent}`;
            } finally {
              rmSync(dir, { recursive: true, force: true });
            }
          });
        }
      });
    }
  }
}
