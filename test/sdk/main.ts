import { runSuite } from './suite.ts';

// The test writes `world.json` next to this file, and so does the server of the page.
const { default: world } = await import(import.meta.resolve('./world.json'), { with: { type: 'json' } });
const outcomes = await runSuite(world);
// Programs print the outcomes, and a page stores them for the browser's driver.
console.log(JSON.stringify(outcomes));
Object.assign(globalThis, { outcomes });
