import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../support/frames/random.ts';
import { issueTestKey } from '../support/keys.ts';
import { startWorld, type World, type WorldOptions, waitForGateways } from '../support/world/world.ts';
import { startActors } from './acts/actors.ts';
import { acts as allActs } from './acts/index.ts';
import { type ApiClients, startApiClients } from './api-clients.ts';
import { breakWorld } from './break-world.ts';
import { type CommitLatency, measureCommits } from './commit-latency.ts';
import { compareWorld } from './compare.ts';
import { startCredentials } from './credentials.ts';
import { type Failover, playFailovers } from './failovers.ts';
import { faultNames } from './faults.ts';
import { openMarket } from './market/market.ts';
import { startReader } from './reader.ts';
import { startReceiver } from './receiver.ts';
import { type Runs, startRuns } from './runs.ts';
import { startSubscribers } from './subscribers.ts';

interface SimulationOptions extends WorldOptions {
  seed: number;
  /** Time of acts and faults. Failovers, start and comparison come in addition. */
  minutes: number;
  /** Failovers after that time. They need a cluster. Default: none. */
  failovers?: number;
  actors: number;
  /** Names of faults. Default: all. */
  faults?: readonly string[] | undefined;
  /** Names of acts on chain. Default: all. */
  acts?: readonly string[] | undefined;
  /** Maximum seconds from the end of the last fault until nothing may differ any more. */
  settleSeconds: number;
  print(line: string): void;
}

export interface SimulationReport {
  seed: number;
  /** Transactions by kind. */
  acts: Record<string, { done: number; failed: number }>;
  /** Runs of the agent that their sender heard to be done, to have failed, and that it gave up. */
  runs: {
    done: number;
    failed: number;
    unheard: number;
    /** Names of the actions that were done. */
    actions: string[];
  };
  /** Faults by name. */
  faults: Record<string, number>;
  /** Webhooks that were added, and those among them of which a change was not answered. */
  subscriptions: { added: number; uncertain: number };
  credentials: { issued: number; withdrawn: number };
  /** Events that the receiver got, and those among them that it got again. */
  deliveries: { events: number; repeated: number };
  failovers: Failover[];
  /** Latency after the failovers, while the world is used. Absent without a cluster. */
  commits?: CommitLatency | undefined;
  /** Answers to clients that read without pause during failovers. */
  answers: { answered: number; refused: number };
  /** Seconds from the end of the last fault until nothing differs any more. */
  recoverySeconds: number;
  /** Differences that remain. */
  differences: string[];
}

/** Beginning of the only difference if a door does not answer. */
export const cannotCompare = 'cannot compare';
const lookMs = 500;
const subscriberCount = 3;

/**
 * Lets actors use a marketplace while it breaks, and compares what remains with what the chain says. The seed decides what
 * each actor and each fault does; the order between them is that of the machine.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const { seed, print } = options;
  await using closing = new AsyncDisposableStack();
  print('starting the world');
  const world = await startWorld(options);
  closing.defer(() => world.close());
  const receiver = await startReceiver();
  closing.defer(() => receiver.close());
  await waitForGateways(world);
  const [gateway = ''] = world.gateways;
  const { key: apiKey } = await issueTestKey(gateway, { ratePerMin: 1_000_000 });
  const market = await openMarket(world.demo, world.client);
  const stop = new AbortController();
  const { signal } = stop;
  const random = new Random(seed);

  print(`${options.actors} actors, ${options.minutes} minutes`);
  const reader = startReader(world.gateways.at(-1)!);
  closing.defer(() => reader.close());
  // Failovers are timed by payments.
  const paysOnly = options.replication !== undefined;
  const runs = await startRuns(world, { random: new Random(seed), paysOnly, signal });
  const acts = await startActors(market, {
    names: chooseNames('act', Object.keys(allActs), options.acts),
    count: options.actors,
    seed,
    signal,
  });
  const subscribers = await startSubscribers(world, receiver, {
    count: subscriberCount,
    seed,
    signal,
    packages: acts.packages,
  });
  const credentials = await startCredentials(world, market, { seed, signal });
  const names = chooseNames('fault', faultNames(world, receiver), options.faults);
  const faults = breakWorld(world, receiver, { names, random, signal });
  await delay(options.minutes * 60_000);
  const { failovers, commits, answers, wrong } = await failOver(world, runs, options);
  stop.abort();
  await Promise.all([acts.ended, runs.ended, subscribers.ended, credentials.ended, faults.ended]);
  // A signal to a process that has just begun ends it.
  for (const { start } of world.roles) start();

  const endedMs = performance.now();
  const isRunning = await succeeds(runs.runOnceMore());
  const isWithdrawing = await succeeds(credentials.withdrawOnceMore());
  const differences = await settle(async () => {
    await subscribers.settle();
    await world.shortenWaits();
    return await compareWorld(world, { acts, receiver, subscribers, reader, runs, credentials, apiKey });
  }, options);
  for (const [answer, times] of wrong) differences.push(`${times} times a client got ${answer}`);
  if (!isRunning) differences.push('the agent does not run a payment and another action');
  if (!isWithdrawing) differences.push('no credential is issued and withdrawn');
  const received = [...receiver.received.values()].flatMap((ids) => [...ids.values()]);
  return {
    seed,
    acts: Object.fromEntries(acts.counts),
    runs: countRuns(runs),
    faults: Object.fromEntries(faults.counts),
    subscriptions: {
      added: subscribers.subscriptions.length,
      uncertain: subscribers.subscriptions.filter(({ isUncertain }) => isUncertain).length,
    },
    credentials: credentials.count(),
    deliveries: { events: received.length, repeated: received.reduce((sum, times) => sum + times - 1, 0) },
    failovers,
    commits,
    answers,
    recoverySeconds: Math.round((performance.now() - endedMs) / 100) / 10,
    differences,
  };
}

const succeeds = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

/** Plays the failovers while clients read. */
async function failOver(
  world: World,
  runs: Runs,
  { failovers: times = 0, print }: SimulationOptions,
): Promise<Pick<SimulationReport, 'failovers' | 'commits' | 'answers'> & Pick<ApiClients, 'wrong'>> {
  const { database } = world;
  if (!('cluster' in database))
    return { failovers: [], answers: { answered: 0, refused: 0 }, wrong: new Map() };
  const clients = startApiClients(world.gateways);
  try {
    const played = playFailovers(world, database.cluster, runs, { times, print });
    // The sender ends before the failovers only with an error.
    const failovers = (await Promise.race([played, runs.ended])) ?? [];
    const commits = await measureCommits(world.db);
    return { failovers, commits, answers: clients.counts, wrong: clients.wrong };
  } finally {
    await clients.close();
  }
}

/** @throws Error if a chosen name is not one of `names` */
function chooseNames(kind: string, names: readonly string[], chosen = names): readonly string[] {
  const unknown = chosen.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`no ${kind} "${unknown.join('", "')}"; choose from: ${names.join(', ')}`);
  return chosen;
}

function countRuns({ requests }: Runs): SimulationReport['runs'] {
  const sent = [...requests.values()];
  const count = (end: string | undefined) => sent.filter((request) => request.end === end).length;
  const done = sent.filter(({ end }) => end === 'done').map(({ action }) => action);
  return {
    done: count('done'),
    failed: count('failed'),
    unheard: count(undefined),
    actions: [...new Set(done)].sort(),
  };
}

/** Compares until nothing differs, or until the time is over. @returns the differences of the last comparison */
async function settle(
  compare: () => Promise<string[]>,
  { settleSeconds, print }: Pick<SimulationOptions, 'settleSeconds' | 'print'>,
): Promise<string[]> {
  const startedMs = performance.now();
  for (;;) {
    const differences = await compare().catch((error) => [`${cannotCompare}: ${error}`]);
    if (differences.length === 0 || performance.now() - startedMs > settleSeconds * 1_000) return differences;
    print(
      `${Math.round((performance.now() - startedMs) / 1_000)} s: ${differences.join('; ').slice(0, 300)}`,
    );
    await delay(lookMs);
  }
}
