import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { toNumber } from '../support/number-option.ts';
import { recordRow } from '../support/recorded-table.ts';
import { createDataDir } from '../support/service.ts';
import { playCampaign } from './campaign.ts';
import { openDoors } from './doors.ts';
import { openHost } from './host.ts';
import { startOwnService } from './own-service.ts';

/**
 * `npm run fuzz -- --minutes 10`: sends generated requests to every door of a service, and ends with 1 if a response or the
 * process breaks a rule. Each fault is printed with its seed and a command that repeats it.
 */
const collect = (name: string, names: string[]) => [...names, name];

const options = new Command('fuzz')
  .option('--minutes <number>', 'how long to go on', toNumber, 5)
  .option('--requests <number>', 'end after so many requests', toNumber, Number.POSITIVE_INFINITY)
  .option('--seed <number>', 'seed of the first batch', toNumber, randomInt(2 ** 31))
  .option('--door <name>', 'only this door; can be given several times', collect, [] as string[])
  .option('--url <url>', 'a running service, without its credentials; default: one of its own')
  .option('--record', 'adds the run to docs/reliability.md')
  .parse()
  .opts<{ minutes: number; requests: number; seed: number; door: string[]; url?: string; record?: true }>();

const table = { page: 'docs/reliability.md', begin: '<!-- written by `npm run fuzz`: runs -->' };

const usageEveryMs = 10_000;
const mb = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;

await using closing = new AsyncDisposableStack();
const own = options.url === undefined ? await startOwnService(closing, await createDataDir()) : undefined;
const host = own?.host ?? (await openHost(options.url!.replace(/\/$/, '')));
const all = await openDoors(host);
const doors = options.door.length > 0 ? all.filter(({ name }) => options.door.includes(name)) : all;
if (doors.length === 0) throw new Error(`no such door; doors: ${all.map(({ name }) => name).join(', ')}`);

console.log(`first seed ${options.seed}, doors: ${doors.map(({ name }) => name).join(', ')}`);
const startedMs = performance.now();
const endMs = startedMs + options.minutes * 60_000;
let nextUsageMs = startedMs + usageEveryMs;
const { found, counts } = await playCampaign(doors, {
  seed: options.seed,
  goesOn: ({ inputs }) => inputs < options.requests && performance.now() < endMs,
  async afterBatch(inputs) {
    if (!own || performance.now() < nextUsageMs) return;
    nextUsageMs = performance.now() + usageEveryMs;
    const { heapBytes, rssBytes, busyMaxMs } = await own.usage();
    console.log(
      `${inputs} requests: heap ${mb(heapBytes)}, resident ${mb(rssBytes)}, longest turn ${Math.round(busyMaxMs)} ms`,
    );
  },
  print: console.log,
});
const faults = (await own?.listFaults()) ?? [];
const seconds = Math.round((performance.now() - startedMs) / 1_000);
console.log(`\nfirst seed ${options.seed}, ${seconds} s`);
for (const [name, { batches, inputs }] of counts)
  console.log(`${name}: ${inputs} requests in ${batches} batches`);
for (const fault of faults) console.log(`fault of the process: ${fault}`);
console.log(`${found.length} faults of responses, ${faults.length} of the process`);
if (options.record) {
  const each = [...counts].map(([name, { inputs }]) => `${name} ${inputs}`).join(', ');
  const total = [...counts.values()].reduce((sum, { inputs }) => sum + inputs, 0);
  await recordRow(table, [options.seed, `${seconds} s`, total, each, found.length, faults.length]);
}
if (found.length + faults.length > 0) process.exitCode = 1;
