// Lets the suites load on Node 20: node --import ./node20.mjs
import { register } from 'node:module';

register('./fs-hook.mjs', import.meta.url);
