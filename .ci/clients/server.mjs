// The examples as processes. EXAMPLES is where ./run has built them.
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

// program returns where the example is.
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

// serveHTTP starts the example over HTTP; stop ends it, and checks that SIGTERM
// is enough.
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

// wire speaks to the example over stdio without any client: what the messages
// hold before a client has read them.
export function wire(example, args) {
  const { child, exited } = start(example, args, ['pipe', 'pipe', 'ignore']);
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  return {
    async request(method, params) {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
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
