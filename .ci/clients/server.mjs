// Runs the examples as processes. ./run has built them in the directory
// EXAMPLES.
import { spawn } from 'node:child_process';
import assert from 'node:assert/strict';
import path from 'node:path';
import readline from 'node:readline';

const examples = process.env.EXAMPLES;
assert.ok(examples, 'EXAMPLES is not set: start the tests by .ci/clients/run');

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

// program returns the path of the example's executable.
export const program = (example) => path.join(examples, example);

function start(example, args, stdio) {
  const child = spawn(program(example), args, { stdio });
  running.add(child);
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => {
    running.delete(child);
    resolve({ code, signal });
  }));
  return { child, exited };
}

// serveHTTP starts the example over HTTP. stop sends SIGTERM and checks that
// the example exits with 0.
export async function serveHTTP(example, args) {
  const { child, exited } = start(example, ['-http', '127.0.0.1:0', ...args], ['ignore', 'ignore', 'pipe']);
  const url = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${example} ended before it listened`)));
    readline.createInterface({ input: child.stderr }).on('line', (line) => {
      const found = line.match(/^listening on (http:\S+)$/);
      if (found) resolve(found[1]);
    });
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      assert.deepEqual(await exited, { code: 0, signal: null });
    },
  };
}

// meta is the _meta of a request of the modern era, which needs no session.
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'clients', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

// wire sends requests to the example over stdio without a client, so that the
// messages are those that the server sent.
export function wire(example, args) {
  const { child, exited } = start(example, args, ['pipe', 'pipe', 'ignore']);
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  return {
    async request(method, params) {
      const request = { jsonrpc: '2.0', id: ++id, method, params: { _meta: meta, ...params } };
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const reply = JSON.parse((await lines.next()).value);
      assert.equal(reply.id, id);
      return reply.result;
    },
    async close() {
      child.stdin.end();
      assert.deepEqual(await exited, { code: 0, signal: null });
    },
  };
}
