import type { WalletTarget } from '@adaptor-marketplace/adaptor/calls/target';
import type { KnownObject } from '@adaptor-marketplace/adaptor/chain/objects';
import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions/lock';
import { asAction, hasActions } from '@adaptor-marketplace/adaptor/transactions/lock';
import type { Transaction } from '@mysten/sui/transactions';
import { readAuthority } from '../../../db/queries/wallets/authority.ts';
import { stepsOf } from '../../../lib/actions/requirements.ts';
import type { DraftAnswer, DraftRequest } from '../../../lib/actions/tools-api.ts';
import { calledPackage, wouldSucceed, assemble, type Call } from './calls.ts';
import { mergeGrants, shortcomingOf, refusal } from './grants.ts';
import type { DraftNetwork } from '../options.ts';
import type { Part } from './part.ts';
import { partsOf } from './parts.ts';
import { inWords } from './words.ts';

/**
 * The unsigned transaction of one action, and what it does. What the index has against it is asked of the chain before
 * it is refused, since the owner may have granted it a moment ago.
 * @throws ProblemError 422 by the codes of `draftRefusals`; 502 or 504 where the node does not say
 */
export async function draft(
  host: DraftNetwork,
  { sender, request }: DraftRequest,
  nowMs: number,
): Promise<DraftAnswer> {
  const { network, owner, walletId } = request;
  const steps = stepsOf(request);
  const [wallet, parts] = await Promise.all([
    readWallet(host, walletId),
    partsOf(host, steps, { sender, walletId }),
  ]);
  const grants = mergeGrants(parts.flatMap((part) => part.grants));
  const authority = await readAuthority(host.db, {
    ...{ network, walletId, sender },
    services: [...new Set(parts.flatMap(({ adaptor }) => adaptor?.serviceType ?? []))],
    coins: [...new Set(parts.flatMap(({ spends }) => spends.map(({ coinType }) => coinType)))],
  });
  if (authority?.owner !== owner) throw refusal('wallet_not_found');

  const [opened, packageId] = await Promise.all([
    withOpenings(host, sender, wallet, parts),
    calledPackage(host.versions, host.walletPackageId),
  ]);
  const target = { packageId, wallet: walletId };
  const bounded = await hasActions(host.functions, packageId);
  const calls = bounded ? parts.map((part, place) => asActions(target, part, opened[place]!)) : opened;
  const { kind, targets } = await assemble(wallet, calls);
  const doubt = parts.find((part) => part.doubt)?.doubt ?? shortcomingOf(grants, sender, authority, nowMs);
  if (doubt && !(await wouldSucceed(host.client, sender, kind))) throw doubt;

  const units = await host.units.read(parts.flatMap(coinsOf));
  const summaries = parts.map((part) => inWords(part, units));
  return {
    ...{ network, walletId, sender },
    transactionKind: Buffer.from(kind).toString('base64'),
    summary: summaries.join(' Then: '),
    steps: parts.map(({ action, slot, adaptor, recipient, capId, ...part }, place) => ({
      ...{ action, slot, adaptor, recipient, capId },
      summary: summaries[place]!,
      targets: targets[place]!,
      spends: part.spends.map(inDigits),
      receivesAtLeast: part.receives.map(inDigits),
    })),
    spends: sumsOf(parts.flatMap(({ spends }) => spends)),
    receivesAtLeast: sumsOf(parts.flatMap(({ receives }) => receives)),
  };
}

/** @throws ProblemError 422 where there is no wallet of this id */
async function readWallet(
  { objects, walletPackageId }: DraftNetwork,
  walletId: string,
): Promise<KnownObject> {
  const wallet = (await objects.read([walletId])).get(walletId);
  if (wallet?.type === `${walletPackageId}::wallet::Wallet`) return wallet;
  throw refusal('wallet_not_found');
}

/**
 * The calls of each part, before them the one that opens the wallet's account where the wallet has none. Whether it
 * has one the chain tells: an account is opened once.
 */
function withOpenings(
  { client }: DraftNetwork,
  sender: string,
  wallet: KnownObject,
  parts: readonly Part[],
): Promise<Call[][]> {
  const seen = new Set<string>();
  return Promise.all(
    parts.map(async ({ opening, call }) => {
      if (!opening || seen.has(opening.key)) return [call];
      seen.add(opening.key);
      const { kind } = await assemble(wallet, [[opening.call]]);
      return (await wouldSucceed(client, sender, kind)) ? [opening.call, call] : [call];
    }),
  );
}

/** The calls of a part, held to its bounds: the opening of an account too. */
function asActions(
  target: WalletTarget & { wallet: string },
  { bounds }: Part,
  calls: readonly Call[],
): readonly Call[] {
  if (!bounds) return calls;
  const append = (tx: Transaction) =>
    asAction(tx, target, bounds, () => {
      for (const call of calls) call.append(tx);
    });
  const mutable = [target.wallet, ...calls.flatMap((call) => call.mutable)];
  return [{ append, objects: calls.flatMap((call) => call.objects), mutable }];
}

const coinsOf = ({ spends, receives }: Part) => [...spends, ...receives].map(({ coinType }) => coinType);

const inDigits = ({ coinType, amount }: CoinAmount) => ({ coinType, amount: String(amount) });

function sumsOf(amounts: readonly CoinAmount[]): { coinType: string; amount: string }[] {
  const sums = new Map<string, bigint>();
  for (const { coinType, amount } of amounts) sums.set(coinType, (sums.get(coinType) ?? 0n) + amount);
  return [...sums].map(([coinType, amount]) => inDigits({ coinType, amount }));
}
