import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Client } from './localnet/client.ts';
import { clients, perSecond } from './localnet/rate.ts';
import { cpuSeconds, startServer, temporaryFolder } from './localnet/server.ts';
import { openSubscribers } from './localnet/subscribers.ts';
import { prepareWorkload } from './localnet/workload.ts';
import type { Options, Result } from './run.ts';

const full = { subscribers: 1_000, calls: 3_000 };

/**
 * Registry calls per second of processor time of a local network that a thousand subscribers follow, half of them
 * every checkpoint and half a filter that matches nothing; the limit is the same network with nobody following.
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
