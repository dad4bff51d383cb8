import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { openSubscribers } from '../test/support/subscribers.ts';
import {
  Client,
  clients,
  perSecond,
  prepareWorkload,
  startServer,
  temporaryFolder,
} from './localnet/network.ts';
import type { Options, Result } from './measure.ts';
import { cpuSeconds } from './measure.ts';

const full = { subscribers: 1_000, calls: 3_000 };

/**
 * Registry calls per second of processor time of a local network with a thousand subscribers. Half of them follow every
 * checkpoint, half a filter that matches nothing. The limit is the same network without subscribers.
 */
export async function run({ scale }: Options): Promise<Result> {
  const count = {
    subscribers: Math.max(20, Math.round(full.subscribers * scale)),
    calls: Math.max(200, Math.round(full.calls * scale)),
  };
  const alone = await callsPerSecond(0, count.calls);
  const followed = await callsPerSecond(count.subscribers, count.calls);
  return {
    name: 'subscribers',
    unit: 'registry calls per processor second',
    value: Math.round(followed.rate),
    limit: Math.round(alone.rate),
    limitName: 'without subscribers',
    ratio: followed.rate / alone.rate,
    aim: 0.7,
    details: {
      ...count,
      clients,
      callsPerSecondWithout: Math.round(alone.perWallSecond),
      callsPerSecondWith: Math.round(followed.perWallSecond),
      subscribersEnded: followed.ended,
      heardBytes: followed.bytes,
      residentMiBWithout: Math.round(alone.residentMiB),
      residentMiBWith: Math.round(followed.residentMiB),
    },
  };
}

async function callsPerSecond(subscribers: number, calls: number) {
  await using stack = new AsyncDisposableStack();
  const folder = join(await temporaryFolder(stack), 'state');
  const { url, process } = await startServer(['--data-dir', folder], stack);
  const client = new Client(url);
  stack.defer(() => client.close());
  const workload = await prepareWorkload(
    { calls: calls + calls / 10, tenCommands: 0 },
    await client.firstGas(),
    (each) => client.create(each),
  );
  const following = await openSubscribers(url, subscribers);
  stack.defer(() => following.close());
  const execute = client.execute.bind(client);
  await perSecond(workload.calls.splice(0, calls / 10), execute);
  const before = await cpuSeconds(process);
  const perWallSecond = await perSecond(workload.calls, execute);
  const rate = calls / ((await cpuSeconds(process)) - before);
  return {
    rate,
    perWallSecond,
    residentMiB: residentMiB(process.pid!),
    ended: following.ended,
    bytes: following.bytes,
  };
}

function residentMiB(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}
