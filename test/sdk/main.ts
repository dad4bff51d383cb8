import { runSuite } from './suite.ts';

// The test puts the world beside this file, and a page's server does too.
const { default: world } = await import(import.meta.resolve('./world.json'), { with: { type: 'json' } });
const outcomes = await runSuite(world);
// Programs print it, and a page leaves it where the browser's driver finds it.
console.log(JSON.stringify(outcomes));
Object.assign(globalThis, { outcomes });
