import type { Account, Executed } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import type { Random } from '../../support/frames/random.ts';
import type { ManifestKind } from '../market/manifests.ts';
import type { Market, ServicePackage } from '../market/market.ts';

/** Someone with a key, a package of services, and wallets. */
export interface Actor {
  account: Account;
  random: Random;
  package: ServicePackage;
  wallets: string[];
  delegates: { wallet: string; delegate: string }[];
  /** Grants that the actor has tried, whether or not the chain accepted them. */
  granted: { wallet: string; service: string }[];
}

/** A job on chain, as the actor that hired remembers it. */
export interface OpenJob {
  jobId: string;
  /** Cap of the assessor. */
  capId: string;
  walletId: string;
  payer: string;
  provider: string;
  assessor: string;
}

/** Everything that all actors know. */
export interface Scene {
  market: Market;
  /** Packages of all actors. */
  packages: ServicePackage[];
  addresses: string[];
  jobs: OpenJob[];
  /** Kinds of the manifests that were announced, by hash. */
  manifests: Map<string, ManifestKind>;
}

/** A transaction of an actor. */
interface Step {
  append(tx: Transaction): void;
  /** Remembers its effects. */
  succeeded?(executed: Executed): void;
}

/** An act with its weight among all acts. The chain refuses some, such as a second registration. */
export interface Act {
  weight: number;
  /** Prepares a transaction. Undefined: the actor has nothing to do it with now. */
  prepare(actor: Actor, scene: Scene): Step | undefined | Promise<Step | undefined>;
}

export type Acts = Readonly<Record<string, Act>>;
