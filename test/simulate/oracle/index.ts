import { listAllEvents } from '../../support/all-events.ts';
import type { World } from '../../support/world/world.ts';
import type { Acts } from '../acts/actors.ts';
import { foldEscrowEvent, type Jobs, listJobs } from './jobs.ts';
import {
  createRegistry,
  foldRegistryEvent,
  judge,
  listRegistry,
  type RegistryEvent,
  type Shown,
} from './registry.ts';
import { type Rows, writeRow } from './rows.ts';
import { createWallets, foldWalletEvent, listWallets } from './wallets.ts';

/** The expected tables, computed from the events of the chain one at a time, with no code of the indexer but the layouts of events. */
export interface Oracle extends Shown {
  tables: Readonly<
    Record<
      | 'events'
      | 'listings'
      | 'versions'
      | 'attestations'
      | 'wallets'
      | 'delegates'
      | 'grants'
      | 'uses'
      | 'jobs',
      Rows
    >
  >;
  /** Events of the registry, in the order of the chain. */
  registryEvents: readonly RegistryEvent[];
  /** Number of payments out of wallets under a cap, by recipient. */
  payments: ReadonlyMap<string, number>;
  /** Senders of the transactions with events, by digest. */
  senders: ReadonlyMap<string, string>;
}

export async function foldChain(
  { demo, archive }: Pick<World, 'demo' | 'archive'>,
  acts: Pick<Acts, 'manifests' | 'packages'>,
): Promise<Oracle> {
  const { packages } = demo;
  const followed = [
    ...[packages.registry, packages.wallet, packages.rules],
    ...[packages.agents, packages.escrow, packages.attestations],
  ];
  const events: Rows = new Set();
  const registry = createRegistry();
  const wallets = createWallets();
  const jobs: Jobs = new Map();
  const positions = new Map<string, number>();
  const senders = new Map<string, string>();
  for (const { digest, sender, type, bcs } of await listAllEvents(archive)) {
    const position = positions.get(digest) ?? 0;
    positions.set(digest, position + 1);
    senders.set(digest, sender);
    const [packageId = '', ...names] = type.split('::');
    if (!followed.includes(packageId)) continue;
    const id = `${digest}:${position}`;
    events.add(writeRow([id, sender, Buffer.from(bcs).toString('hex')]));
    if (packageId === packages.registry) foldRegistryEvent(id, names[1]!, bcs, registry);
    else if (packageId === packages.wallet) foldWalletEvent(names.join('::'), bcs, digest, wallets);
    else if (packageId === packages.escrow) foldEscrowEvent(names.join('::'), bcs, jobs);
  }
  const capHolders = new Map<string, string>();
  for (const { upgradeCapId } of acts.packages) {
    const { owner } = (await archive.core.getObject({ objectId: upgradeCapId })).object;
    if (owner.$kind === 'AddressOwner') capHolders.set(upgradeCapId, owner.AddressOwner);
  }
  return {
    tables: { events, ...listRegistry(registry), ...listWallets(wallets), jobs: listJobs(jobs) },
    ...judge(registry.listings.values(), acts, capHolders),
    registryEvents: registry.events,
    payments: wallets.payments,
    senders,
  };
}
