// fs as the suites import it: with globSync, which Node has from version 22 and
// which they need for subcommands that are not run here.
import fs from 'node:fs';

export * from 'node:fs';
export const globSync = fs.globSync ?? (() => { throw new Error('fs.globSync needs Node 22'); });
