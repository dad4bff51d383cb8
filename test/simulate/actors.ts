import { setTimeout as delay } from 'node:timers/promises';
import {
  attest,
  delegate as delegates,
  register,
  unlist,
  update,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import { createdObject, SUI } from '../../services/demo/publish.ts';
import { Random } from '../support/frames/random.ts';
import { type Market, writeManifest } from './market.ts';

/** Kinds of manifests. Only `good` ones can be verified. */
const manifestKinds = ['good', 'other bytes', 'absent', 'no JSON', 'huge'] as const;
type ManifestKind = (typeof manifestKinds)[number];

/** One manifest in so many is bad. */
const badOnceIn = 5;
const hugeBytes = 300 * 1024;
const unlimited = 2n ** 64n - 1n;

/** Knowledge of the actors that the chain does not have. */
export interface Acts {
  /** Transactions that succeeded and failed, by kind. A transaction without an answer counts as failed. */
  counts: ReadonlyMap<string, { done: number; failed: number }>;
  /** Kinds of the manifests that were announced, by hash. */
  manifests: ReadonlyMap<string, ManifestKind>;
  /** Publishers of the packages, by package id. */
  publishers: ReadonlyMap<string, string>;
  /** Resolves when each actor has ended, after the signal has aborted. */
  ended: Promise<void>;
}

interface Actor {
  account: Account;
  random: Random;
  /** Services of the actor's own package. */
  packageId: string;
  serviceTypes: string[];
  wallets: string[];
  delegates: { wallet: string; delegate: string }[];
  /** Services that a wallet was meant to grant to, each with the wallet. */
  granted: { wallet: string; service: string }[];
}

interface Scene {
  market: Market;
  /** Services of all actors. */
  serviceTypes: string[];
  addresses: string[];
  manifests: Map<string, ManifestKind>;
}

/** Appends a transaction of an actor. Absent: nothing to do now. */
type Act = (actor: Actor, scene: Scene) => Promise<((tx: Transaction) => void) | undefined>;

/** Acts by name, with their weights. The chain refuses some, such as a second registration. */
const acts: Readonly<Record<string, { weight: number; act: Act }>> = {
  register: {
    weight: 4,
    act: async (actor, scene) => announce(actor, scene, register, actor.random.pick(actor.serviceTypes)),
  },
  squat: {
    weight: 1,
    act: async (actor, scene) => announce(actor, scene, register, actor.random.pick(scene.serviceTypes)),
  },
  update: {
    weight: 4,
    act: async (actor, scene) => announce(actor, scene, update, actor.random.pick(actor.serviceTypes)),
  },
  unlist: {
    weight: 2,
    act: async ({ random, serviceTypes }, { market: { demo } }) => {
      const serviceType = random.pick(serviceTypes);
      return (tx) => unlist(tx, toRegistry(demo), serviceType);
    },
  },
  attest: {
    weight: 2,
    act: async ({ random }, { market: { demo }, serviceTypes }) => {
      const review = { serviceType: random.pick(serviceTypes), score: 1 + random.integer(5), commentUri: '' };
      return (tx) => attest(tx, toRegistry(demo), review);
    },
  },
  'open a wallet': {
    weight: 1,
    act: async ({ random }, { market: { demo } }) => {
      const amount = BigInt(1 + random.integer(1_000_000));
      return (tx) => {
        const wallet = wallets.create(tx, demo.packages.wallet);
        const [coin] = tx.splitCoins(tx.gas, [amount]);
        wallets.deposit(tx, wallet, { coinType: SUI, coin });
        wallets.share(tx, wallet);
      };
    },
  },
  grant: {
    weight: 4,
    act: async ({ random, wallets: own, granted }, { market, serviceTypes }) => {
      if (own.length === 0) return undefined;
      const target = toWallet(market, random.pick(own));
      const allowance = random.pick([0n, 1n, unlimited, BigInt(random.integer(1_000_000))]);
      const service = random.pick(serviceTypes);
      granted.push({ wallet: target.wallet, service });
      return (tx) => wallets.grantServiceCoin(tx, target, { service, coinType: SUI, allowance });
    },
  },
  revoke: {
    weight: 2,
    act: async ({ random, granted }, { market }) => {
      if (granted.length === 0) return undefined;
      const { wallet, service } = random.pick(granted);
      return (tx) => wallets.revokeService(tx, toWallet(market, wallet), service);
    },
  },
  spend: {
    weight: 8,
    act: async ({ random, granted, account }, { addresses }) => {
      if (granted.length === 0) return undefined;
      const { wallet, service } = random.pick(granted);
      const amount = BigInt(random.integer(20));
      const recipient = random.chance(0.5) ? account.address : random.pick(addresses);
      return (tx) => {
        tx.moveCall({
          target: service.replace(/::\w+$/, '::run'),
          typeArguments: [SUI],
          arguments: [tx.object(wallet), tx.pure.u64(amount), tx.pure.address(recipient), tx.object.clock()],
        });
      };
    },
  },
  'add a delegate': {
    weight: 1,
    act: async ({ random, wallets: own, delegates: added }, { market, addresses }) => {
      if (own.length === 0) return undefined;
      const target = toWallet(market, random.pick(own));
      const address = random.pick(addresses);
      const isFirst = !added.some(({ wallet }) => wallet === target.wallet);
      added.push({ wallet: target.wallet, delegate: address });
      return (tx) => {
        if (isFirst) delegates.initialize(tx, target);
        delegates.add(tx, target, address);
      };
    },
  },
  'remove a delegate': {
    weight: 1,
    act: async ({ random, delegates: added }, { market }) => {
      if (added.length === 0) return undefined;
      const { wallet, delegate } = random.pick(added);
      return (tx) => delegates.remove(tx, toWallet(market, wallet), delegate);
    },
  },
  pause: {
    weight: 1,
    act: async ({ random, wallets: own }, { market }) => {
      if (own.length === 0) return undefined;
      const target = toWallet(market, random.pick(own));
      const paused = random.chance(0.5);
      return (tx) => wallets.setPaused(tx, target, paused);
    },
  },
};

const weighted = Object.entries(acts).flatMap(([name, { weight }]) => Array<string>(weight).fill(name));

const toRegistry = ({ packages, objects }: Market['demo']) => ({
  packageId: packages.registry,
  objectId: objects.registry,
});

const toWallet = ({ demo }: Market, wallet: string) => ({ packageId: demo.packages.wallet, wallet });

/** Stores a manifest, a bad one now and then, and announces its hash. */
async function announce(
  { random }: Actor,
  { market, manifests }: Scene,
  call: typeof register,
  serviceType: string,
): Promise<(tx: Transaction) => void> {
  const { text, hash } = writeManifest(serviceType, `Service ${random.hex(4)}`);
  const kind = random.integer(badOnceIn) === 0 ? random.pick(manifestKinds) : 'good';
  manifests.set(hash, kind);
  const stored = {
    good: text,
    'other bytes': text.replace('Service', 'service'),
    absent: '',
    'no JSON': '{',
    huge: text.padEnd(hugeBytes),
  };
  const manifestUri =
    kind === 'absent'
      ? 'walrus://AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
      : await market.storeBlob(stored[kind]);
  const listing = { serviceType, packageId: serviceType.split('::')[0]!, manifestUri, manifestHash: hash };
  return (tx) => call(tx, toRegistry(market.demo), listing);
}

/** Starts actors with packages of their own, who act one transaction after the other until the signal aborts. */
export async function startActors(
  market: Market,
  { count, seed, signal }: { count: number; seed: number; signal: AbortSignal },
): Promise<Acts> {
  const counts = new Map(Object.keys(acts).map((name) => [name, { done: 0, failed: 0 }]));
  const actors: Actor[] = [];
  for (let at = 0; at < count; at += 1) {
    const account = await market.newAccount();
    actors.push({
      account,
      random: new Random(seed * 1_000 + at),
      ...(await market.publishServices(account)),
      wallets: [],
      delegates: [],
      granted: [],
    });
  }
  const scene: Scene = {
    market,
    serviceTypes: actors.flatMap(({ serviceTypes }) => serviceTypes),
    addresses: actors.map(({ account }) => account.address),
    manifests: new Map(),
  };
  const ended = Promise.all(actors.map((actor) => play(actor, scene, counts, signal))).then(() => undefined);
  const publishers = new Map(actors.map(({ packageId, account }) => [packageId, account.address]));
  return { counts, manifests: scene.manifests, publishers, ended };
}

/** Between two acts, and after one that failed, as the network may be away. */
const betweenMs = 20;
const afterFailureMs = 300;

async function play(
  actor: Actor,
  scene: Scene,
  counts: Map<string, { done: number; failed: number }>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const name = actor.random.pick(weighted);
    const count = counts.get(name)!;
    let isAway = false;
    try {
      const append = await acts[name]!.act(actor, scene);
      if (!append) continue;
      const executed = await execute(actor.account, append);
      if (name === 'open a wallet') actor.wallets.push(createdObject(executed, '::wallet::Wallet'));
      count.done += 1;
    } catch (error) {
      count.failed += 1;
      isAway = !String(error).includes('abort');
    }
    await delay(isAway ? afterFailureMs : betweenMs, undefined, { signal }).catch(() => undefined);
  }
}
