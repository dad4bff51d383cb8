import type { WalletTarget } from '@adaptor-marketplace/adaptor/calls/target';
import { amountInWords, type CoinUnit } from '@adaptor-marketplace/adaptor/chain/coin-units';
import type { KnownObject } from '@adaptor-marketplace/adaptor/chain/objects';
import {
  type ActionBounds,
  asAction,
  type CoinAmount,
  hasActions,
} from '@adaptor-marketplace/adaptor/transactions/lock';
import type { Transaction } from '@mysten/sui/transactions';
import { readAuthority } from '../../../db/queries/wallets/authority.ts';
import type { Action, ActionStep } from '../../../lib/actions/request.ts';
import { type ProtocolStep, stepsOf } from '../../../lib/actions/requirements.ts';
import type { Slot } from '../../../lib/actions/slots.ts';
import type { DraftAnswer, DraftRequest, Grant, UsedAdaptor } from '../../../lib/actions/tools-api.ts';
import type { ProblemError } from '../../../lib/errors/index.ts';
import type { DraftNetwork } from '../options.ts';
import { assemble, type Call, calledPackage, wouldSucceed } from './calls.ts';
import { mergeGrants, type NameStep, refusal, shortcomingOf, stepNamer } from './grants.ts';
import { findListed, protocolPart } from './protocol-step.ts';
import { readCaps, type SpendStep, spendPart } from './spend-step.ts';

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

/** Who acts for which wallet. */
interface Acting {
  sender: string;
  walletId: string;
}

/**
 * The steps of a draft, in their order.
 * @throws ProblemError as `protocolPart` and `spendPart`; of several steps, `detail` names the one
 */
async function partsOf(host: DraftNetwork, steps: readonly ActionStep[], acting: Acting): Promise<Part[]> {
  const named = stepNamer(steps);
  const [calls, payments] = await Promise.all([
    protocolParts(host, steps.filter(isProtocolStep), acting, named),
    spendParts(host, steps.filter(isSpend), acting, named),
  ]);
  return steps.map((step) => {
    const part = (isSpend(step) ? payments : calls).shift()!;
    return part.doubt ? { ...part, doubt: named(step, part.doubt) as ProblemError } : part;
  });
}

async function protocolParts(
  host: DraftNetwork,
  steps: readonly ProtocolStep[],
  { walletId }: Acting,
  named: NameStep,
): Promise<Part[]> {
  const listed = await findListed(host, steps, named);
  return Promise.all(
    listed.map((one) =>
      protocolPart(host, walletId, one).catch((error) => {
        throw named(one.step, error);
      }),
    ),
  );
}

async function spendParts(
  host: DraftNetwork,
  steps: readonly SpendStep[],
  { sender, walletId }: Acting,
  named: NameStep,
): Promise<Part[]> {
  if (steps.length === 0) return [];
  const capIds = steps.flatMap(({ capId }) => capId ?? []);
  const held = await readCaps(host, { sender, walletId, named: capIds });
  const parts: Part[] = [];
  const spent = new Map<string, bigint>();
  for (const step of steps) {
    const choice = { host, held, step, sender, spent };
    const { capId, ...part } = await spendPart(host, walletId, choice).catch((error) => {
      throw named(step, error);
    });
    parts.push({ capId, ...part });
    if (capId !== null) spent.set(capId, (spent.get(capId) ?? 0n) + BigInt(step.amount));
  }
  return parts;
}

const isSpend = (step: ActionStep): step is SpendStep => step.action === 'spend';
const isProtocolStep = (step: ActionStep): step is ProtocolStep => step.action !== 'spend';

const titles: Record<Exclude<Action, 'compose'>, string> = {
  spend: 'Payment',
  swap: 'Swap',
  lendingADeposit: 'Deposit at lender A',
  lendingAWithdraw: 'Withdrawal from lender A',
  lendingBDeposit: 'Deposit at lender B',
  lendingBWithdraw: 'Withdrawal from lender B',
  lendingCDeposit: 'Deposit at lender C',
  lendingCWithdraw: 'Withdrawal from lender C',
  stablecoinBorrow: 'Stablecoin loan',
  stablecoinRepay: 'Repayment of a stablecoin loan',
  stablecoinSavingsDeposit: 'Deposit into stablecoin savings',
  stablecoinSavingsWithdraw: 'Withdrawal from stablecoin savings',
  liquidStakeStake: 'Liquid stake',
  liquidStakeUnstake: 'End of a liquid stake',
  vaultDeposit: 'Deposit into a vault',
  clmmLiquidity: 'Liquidity in a price range',
  perpOrder: 'Perpetuals order',
  perpMarginDeposit: 'Deposit of margin',
  currentSupply: 'Supply to a market',
};

/** What a step does, in one sentence for people. */
function inWords(part: Part, units: ReadonlyMap<string, CoinUnit>): string {
  const { action, adaptor, about, recipient, spends, receives } = part;
  const sums = (coins: readonly CoinAmount[]) =>
    coins
      .map(({ coinType, amount }) => amountInWords(coinType, String(amount), units.get(coinType)))
      .join(' and ');
  return [
    titles[action as keyof typeof titles],
    ...(adaptor ? [` through ${adaptor.name}`] : []),
    ...(about === null ? [] : [` (${about})`]),
    ': ',
    spends.length > 0 ? `takes at most ${sums(spends)} out of the wallet` : 'takes nothing out of the wallet',
    ...(recipient === null ? [] : [` and pays it to ${recipient}`]),
    ...(receives.length > 0 ? [`, brings at least ${sums(receives)} into it`] : []),
    '.',
  ].join('');
}
