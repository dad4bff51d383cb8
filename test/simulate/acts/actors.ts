import { setTimeout as delay } from 'node:timers/promises';
import { execute } from '@adaptor-marketplace/localnet/account';
import { Random } from '../../support/frames/random.ts';
import type { ManifestKind } from '../market/manifests.ts';
import type { Market, ServicePackage } from '../market/market.ts';
import { type Actor, acts, type Scene } from './index.ts';

/** Knowledge of the actors that the chain does not have. */
export interface Acts {
  /** Transactions that succeeded and failed, by kind. A transaction without an answer counts as failed. */
  counts: ReadonlyMap<string, { done: number; failed: number }>;
  /** Kinds of the manifests that were announced, by hash. */
  manifests: ReadonlyMap<string, ManifestKind>;
  packages: readonly ServicePackage[];
  /** Resolves when each actor has ended, after the signal has aborted. */
  ended: Promise<void>;
}

/**
 * Starts actors with packages of their own, who act one transaction after the other until the signal aborts.
 * @param names acts to choose from
 */
export async function startActors(
  market: Market,
  {
    names,
    count,
    seed,
    signal,
  }: { names: readonly string[]; count: number; seed: number; signal: AbortSignal },
): Promise<Acts> {
  const weighted = names.flatMap((name) => Array<string>(acts[name]!.weight).fill(name));
  const counts = new Map(names.map((name) => [name, { done: 0, failed: 0 }]));
  const actors: Actor[] = [];
  for (let at = 0; at < count; at += 1) {
    const account = await market.newAccount();
    actors.push({
      account,
      random: new Random(seed * 1_000 + at),
      package: await market.publishServices(account),
      wallets: [],
      delegates: [],
      granted: [],
    });
  }
  const scene: Scene = {
    market,
    packages: actors.map((actor) => actor.package),
    addresses: actors.map(({ account }) => account.address),
    jobs: [],
    manifests: new Map(),
  };
  const ended = Promise.all(actors.map((actor) => play(actor, scene, { weighted, counts, signal }))).then(
    () => undefined,
  );
  return { counts, manifests: scene.manifests, packages: scene.packages, ended };
}

/** Between two acts, and after one that failed, as the network may be away. */
const betweenMs = 20;
const afterFailureMs = 300;

async function play(
  actor: Actor,
  scene: Scene,
  {
    weighted,
    counts,
    signal,
  }: {
    /** Names of acts, each as often as it weighs. */
    weighted: readonly string[];
    counts: Map<string, { done: number; failed: number }>;
    signal: AbortSignal;
  },
): Promise<void> {
  while (!signal.aborted && weighted.length > 0) {
    const name = actor.random.pick(weighted);
    const count = counts.get(name)!;
    let isAway = false;
    try {
      const step = await acts[name]!.prepare(actor, scene);
      if (!step) continue;
      const executed = await execute(actor.account, step.append);
      step.succeeded?.(executed);
      count.done += 1;
    } catch (error) {
      count.failed += 1;
      isAway = !String(error).includes('abort');
    }
    await delay(isAway ? afterFailureMs : betweenMs, undefined, { signal }).catch(() => undefined);
  }
}
