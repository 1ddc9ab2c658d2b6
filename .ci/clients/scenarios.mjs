// The scenarios in scenarios/, one file for each example. Every client runs
// those whose example is in EXAMPLES.
//
//   args       the flags of the example; {dir} is a new directory
//   callers    the callers and the tools that they see. The first caller has all
//              permissions and makes the calls. Over stdio a caller is a list of
//              permissions of the local user (default: all), over HTTP it is a
//              bearer token. The member over restricts a caller to one transport.
//   refused    tools that this caller must not call, and the resulting code
//   forbidden  a tool that answers like the unknown name
//   calls      run in order, because a call may depend on earlier ones
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { program } from './server.mjs';

const dir = path.join(import.meta.dirname, 'scenarios');

export const scenarios = readdirSync(dir)
  .sort()
  .map((file) => ({ example: path.basename(file, '.json'), ...JSON.parse(readFileSync(path.join(dir, file), 'utf8')) }))
  .filter(({ example }) => existsSync(program(example)));
