import { bcs } from '@mysten/sui/bcs';
import { actors } from './actors.ts';
import { type Call, executeCall } from './call.ts';
import { clockId, passTime } from './clock.ts';
import type { View, WalletView } from './view.ts';
import type { World } from './world.ts';

/** Longer than the deadline and the review of every job. */
const farMs = 20_000n * 3_600_000n;
/** Transactions of a sequence have smaller numbers. */
const firstProbe = 1_000_000;

/** Tries calls that owners and publishers must always be able to do. The chain is then as before. Returns faults by promise. */
export function probeOwners(world: World, view: View): [string, string[]][] {
  const { chain } = world;
  const objects = new Map(chain.objects);
  let number = firstProbe;
  const probe: Probe = (call) => {
    number += 1;
    const { failure } = executeCall(world, { ...call, number });
    return failure ? [`${call.target} failed: ${failure.reason.kind}`] : [];
  };
  const faults: [string, string[]][] = [
    [
      'an owner can always take everything out',
      [...view.wallets.values()].flatMap((one) => takeAll(probe, one)),
    ],
    ['a job can always be ended', endJobs(world, probe, view)],
    ['a publisher can always unlist', unlistAll(world, probe, view)],
  ];
  chain.objects.clear();
  for (const [id, object] of objects) chain.objects.set(id, object);
  return faults;
}

/** Returns why a call failed. */
type Probe = (call: Omit<Call, 'number'>) => string[];

function takeAll(probe: Probe, wallet: WalletView): string[] {
  const { id, owner, version, paused } = wallet;
  const coins = [...wallet.balances].flatMap(([coin, amount]) => {
    if (amount === 0n) return [];
    const given = [id, bcs.u64().serialize(amount).toBytes()];
    return probe({ sender: owner, target: 'wallet::wallet::take_coin', typeArguments: [coin], given });
  });
  const assets = [...wallet.assets.values()].flatMap(({ service, type, name }) => {
    const target = `wallet::wallet::${service === null ? 'reclaim_asset' : 'reclaim_service_asset'}`;
    const typeArguments = service === null ? [type] : [service, type];
    return probe({
      sender: owner,
      target,
      typeArguments,
      given: [id, bcs.string().serialize(name).toBytes()],
    });
  });
  if (version !== 1) return [...coins, ...assets];
  const given = [id, Uint8Array.of(paused ? 0 : 1)];
  return [...coins, ...assets, ...probe({ sender: owner, target: 'wallet::wallet::set_paused', given })];
}

function endJobs({ chain }: World, probe: Probe, { jobs, wallets }: View): string[] {
  const cancelled = [...jobs.values()].flatMap(({ id, state, walletId, coin }) => {
    if (state >= 2) return [];
    const sender = wallets.get(walletId)!.owner;
    return probe({ sender, target: 'escrow::job::cancel', typeArguments: [coin], given: [id, walletId] });
  });
  passTime(chain, farMs);
  const expired = [...jobs.values()].flatMap(({ id, state, coin }) => {
    if (state !== 2) return [];
    const [sender] = actors as [string];
    return probe({ sender, target: 'escrow::job::expire', typeArguments: [coin], given: [id, clockId] });
  });
  return [...cancelled, ...expired];
}

function unlistAll({ packages, chain }: World, probe: Probe, { entries, registries }: View): string[] {
  return [...entries.values()].flatMap(({ registry, name, live, publisher }) => {
    if (!live || registries.get(registry) !== 1n) return [];
    const { type } = chain.object(registry);
    const packageName = Object.keys(packages).find((each) => type.startsWith(packages[each]!))!;
    const named = name === '' ? [] : [bcs.string().serialize(name).toBytes()];
    const given = [registry, ...named, clockId];
    return probe({ sender: publisher, target: `${packageName}::registry::unlist`, given });
  });
}
