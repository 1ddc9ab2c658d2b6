// fs with globSync, which Node has since version 22. The suites import it for
// subcommands that do not run here.
import fs from 'node:fs';

export * from 'node:fs';
export const globSync = fs.globSync ?? (() => { throw new Error('fs.globSync needs Node 22'); });
