// The scenarios below scenarios/, one file an example, which every client plays:
//
//   args       the example's flags; {dir} is a directory of its own
//   callers    who calls, and what they see. The first may use everything and
//              makes the calls. Over stdio a caller is the permissions that the
//              local user holds (absent: all), over HTTP a bearer token; over
//              says that one transport alone knows such a caller.
//   refused    tools that this caller may not call, and the code it gets
//   forbidden  a tool that answers as the unknown name does
//   calls      in order, for a later one may build on an earlier one
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const dir = path.join(import.meta.dirname, 'scenarios');

export const scenarios = readdirSync(dir)
  .sort()
  .map((file) => ({ example: path.basename(file, '.json'), ...JSON.parse(readFileSync(path.join(dir, file), 'utf8')) }));
