// The command line of the inspector. It runs one process for each request and
// lists the tools before a call.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

import { installed, play } from './play.mjs';

const name = '@modelcontextprotocol/inspector';
const launcher = path.join(import.meta.dirname, 'node_modules/.bin/mcp-inspector');

// The inspector writes below HOME.
const home = mkdtempSync(path.join(tmpdir(), 'toolcontract-inspector-'));
after(() => rmSync(home, { recursive: true, force: true }));

// The exit code is 5 for an error result and for an unknown tool.
function run(args) {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [launcher, '--cli', ...args], { env: { ...process.env, HOME: home }, timeout: 300_000, killSignal: 'SIGKILL' }, (failure, stdout, stderr) => {
      if (failure && failure.code !== 5) reject(failure);
      else if (stdout) resolve(JSON.parse(stdout));
      else resolve(JSON.parse(stderr));
    });
  });
}

play({
  name,
  version: installed(name),
  eras: ['legacy', 'modern'],
  refusesUnlisted: 'tool_not_found',
  async connect(era, { command, args, url, token }) {
    const options = ['--format', 'json', '--quiet', '--protocol-era', era];
    if (url) options.push('--transport', 'http', '--server-url', url);
    if (token) options.push('--header', `Authorization: Bearer ${token}`);
    const target = command ? ['--', command, ...args] : [];
    return {
      list: async () => (await run([...options, '--method', 'tools/list', ...target])).result.tools,
      call: (tool, input) => run([...options, '--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(input), ...target]),
      async close() {},
    };
  },
});
