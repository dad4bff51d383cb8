import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { moveAway } from '../test/support/move-away.ts';
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
import { cpuSeconds, median } from './measure.ts';

const full = { subscribers: 1_000, calls: 1_000, rounds: 4 };

/**
 * Registry calls per second of processor time of a local network with a thousand subscribers. Half of them follow every
 * checkpoint, half the events of the calls, of which they get every one. The limit is the same network without
 * subscribers. Rounds with and without them alternate, and so does their order.
 */
export async function run({ scale, delay: distanceMs }: Options): Promise<Result> {
  const count = {
    subscribers: Math.max(20, Math.round(full.subscribers * scale)),
    calls: Math.max(200, Math.round(full.calls * scale)),
    rounds: full.rounds,
  };
  await using stack = new AsyncDisposableStack();
  const folder = join(await temporaryFolder(stack), 'state');
  const { url: nodeUrl, process } = await startServer(['--data-dir', folder], stack);
  const url = await moveAway(nodeUrl, distanceMs, stack);
  const client = new Client(url);
  stack.defer(() => client.close());
  const { sender, calls } = await prepareWorkload(
    { calls: count.calls * (2 * count.rounds + 1), tenCommands: 0 },
    await client.firstGas(),
    (each) => client.create(each),
  );

  async function measure(subscribers: number): Promise<Round> {
    const following = await openSubscribers(url, subscribers, sender);
    const cpuBefore = await cpuSeconds(process);
    const perWallSecond = await perSecond(calls.splice(0, count.calls), client.execute.bind(client));
    // The events of the last calls come with their checkpoint.
    await delay(settleMs);
    const rate = count.calls / ((await cpuSeconds(process)) - cpuBefore);
    const { bytes, ended } = following;
    const round = { rate, perWallSecond, residentMiB: residentMiB(process.pid!), bytes, ended };
    following.close();
    return round;
  }

  await measure(0);
  const [followed, alone]: [Round[], Round[]] = [[], []];
  for (let round = 0; round < count.rounds; round += 1) {
    const turns = [
      () => measure(0).then((one) => alone.push(one)),
      () => measure(count.subscribers).then((one) => followed.push(one)),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
  }
  const middle = (rounds: readonly Round[], read: (round: Round) => number) =>
    Math.round(median(rounds.map(read)));
  const ratios = followed.map(({ rate }, at) => rate / alone[at]!.rate);
  return {
    name: 'subscribers',
    unit: 'registry calls per processor second',
    value: middle(followed, ({ rate }) => rate),
    limit: middle(alone, ({ rate }) => rate),
    limitName: 'without subscribers',
    ratio: median(ratios),
    aim: 0.7,
    details: {
      ...count,
      clients,
      callsPerSecondWithout: middle(alone, ({ perWallSecond }) => perWallSecond),
      callsPerSecondWith: middle(followed, ({ perWallSecond }) => perWallSecond),
      subscribersEnded: followed.reduce((sum, { ended }) => sum + ended, 0),
      heardBytesPerRound: middle(followed, ({ bytes }) => bytes),
      eventsPerRound: (count.calls * count.subscribers) / 2,
      residentMiBWithout: middle(alone, (round) => round.residentMiB),
      residentMiBWith: middle(followed, (round) => round.residentMiB),
    },
  };
}

/** Longer than from an execution to its checkpoint. */
const settleMs = 500;

interface Round {
  rate: number;
  perWallSecond: number;
  residentMiB: number;
  bytes: number;
  ended: number;
}

function residentMiB(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}
