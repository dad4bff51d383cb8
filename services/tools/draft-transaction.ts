import { type CoinUnit, describeAmount, type InputObject } from '@adaptor-marketplace/adaptor/chain';
import {
  appendAction,
  type CoinAmount,
  hasActions,
  sumByCoin,
  type WalletTarget,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Authority, readAuthority } from '../../db/queries/wallets/authority.ts';
import { protocolActions } from '../../lib/actions/protocol-actions.ts';
import {
  type ActionStep,
  type CallStep,
  formatAmounts,
  listSteps,
  type ProtocolStep,
} from '../../lib/actions/request.ts';
import type { Grant, TransactionDraft, TransactionDraftRequest } from '../../lib/actions/tools-api.ts';
import {
  assemble,
  buildGrantCall,
  type Call,
  createStepNamer,
  type DraftStep,
  getAmount,
  type NameStep,
  type NetworkDependencies,
  refusal,
  resolveCalledPackage,
  wouldSucceed,
} from './draft-step.ts';
import { draftCallSteps, draftProtocolStep, findListed } from './protocols.ts';
import { draftSpendStep, readCaps, type SpendStep } from './spend-step.ts';

/**
 * Builds the unsigned transaction of one action. A problem that the index reports is verified with a simulation before
 * the action is refused, because the owner may have granted what is missing a moment ago.
 * @throws ProblemError 422 with the codes of `draftErrors`; 502 or 504 if the node does not answer
 */
export async function draftTransaction(
  dependencies: NetworkDependencies,
  { sender, request }: TransactionDraftRequest,
  nowMs: number,
): Promise<TransactionDraft> {
  const { network, owner, walletId } = request;
  const requested = listSteps(request);
  const drafting = draftSteps(dependencies, requested, { sender, walletId });
  // Only the summary needs the units. Reading them needs only the coins of the steps.
  const readingUnits = drafting.then((steps) => dependencies.units.read(steps.flatMap(listCoinTypes)));
  readingUnits.catch(() => undefined);
  // Spends need no grants, so a request of spends alone does not wait for its draft.
  const readGranted = async () => {
    const drafted = requested.every(isSpend) ? [] : await drafting;
    return await readAuthority(dependencies.db, { network, walletId, sender, ...collectGranted(drafted) });
  };
  const readingPackage = readWalletPackage(dependencies);
  readingPackage.catch(() => undefined);
  const [wallet, steps, authority] = await Promise.all([
    readWallet(dependencies, walletId),
    drafting,
    readGranted(),
  ]);
  const grants = mergeGrants(steps.flatMap((step) => step.grants));
  if (authority?.owner !== owner) throw refusal('wallet_not_found');

  const [callsByStep, { packageId, bounded }] = await Promise.all([
    prependOpenings(dependencies, sender, wallet, steps),
    readingPackage,
  ]);
  const target = { packageId, wallet: walletId };
  const calls = bounded
    ? steps.map((step, index) => wrapInActions(target, step, callsByStep[index]!))
    : callsByStep;
  const { kind, targets } = await assemble(wallet, calls);
  const doubt =
    steps.find((step) => step.doubt)?.doubt ?? findMissingAuthority(grants, sender, authority, nowMs);
  if (doubt && !(await wouldSucceed(dependencies.client, sender, kind))) throw doubt;

  const units = await readingUnits;
  const summaries = steps.map((step) => describeStep(step, units));
  return {
    network,
    walletId,
    sender,
    transactionKind: Buffer.from(kind).toString('base64'),
    summary: summaries.join(' Then: '),
    steps: steps.map(({ action, slot, adaptor, recipient, capId, ...step }, index) => ({
      action,
      slot,
      adaptor,
      recipient,
      capId,
      summary: summaries[index]!,
      targets: targets[index]!,
      spends: formatAmounts(step.spends),
      receivesAtLeast: formatAmounts(step.receives),
    })),
    spends: formatAmounts(sumByCoin(steps.flatMap(({ spends }) => spends))),
    receivesAtLeast: formatAmounts(sumByCoin(steps.flatMap(({ receives }) => receives))),
  };
}

/** Collects the services and coins of the grants that the steps need. */
const collectGranted = (steps: readonly DraftStep[]) => ({
  services: [...new Set(steps.flatMap(({ adaptor }) => adaptor?.serviceType ?? []))],
  coins: [...new Set(steps.flatMap(({ spends }) => spends.map(({ coinType }) => coinType)))],
});

/** Reads the version of the wallet package to call, and whether it enforces bounds. @throws ProblemError 502 or 504 */
async function readWalletPackage({ versions, functions, walletPackageId }: NetworkDependencies) {
  const packageId = await resolveCalledPackage(versions, walletPackageId);
  return { packageId, bounded: await hasActions(functions, packageId) };
}

/** @throws ProblemError 422 if the object is not a wallet */
async function readWallet(
  { objects, walletPackageId }: NetworkDependencies,
  walletId: string,
): Promise<InputObject> {
  const wallet = (await objects.read([walletId])).get(walletId);
  if (wallet?.type === `${walletPackageId}::wallet::Wallet`) return wallet;
  throw refusal('wallet_not_found');
}

/**
 * Returns the calls of each step, preceded by the call that opens the wallet's account if the wallet has none. A simulation
 * decides whether it has one: opening a second account fails.
 */
function prependOpenings(
  { client }: NetworkDependencies,
  sender: string,
  wallet: InputObject,
  steps: readonly DraftStep[],
): Promise<Call[][]> {
  const seen = new Set<string>();
  return Promise.all(
    steps.map(async ({ opening, call }) => {
      if (!opening || seen.has(opening.key)) return [call];
      seen.add(opening.key);
      const { kind } = await assemble(wallet, [[opening.call]]);
      return (await wouldSucceed(client, sender, kind)) ? [opening.call, call] : [call];
    }),
  );
}

/** Wraps the calls of a step, including the opening of an account, in the wallet's lock with the step's bounds. */
function wrapInActions(
  target: WalletTarget & { wallet: string },
  { bounds }: DraftStep,
  calls: readonly Call[],
): readonly Call[] {
  if (!bounds) return calls;
  const append: Call['append'] = (tx) =>
    appendAction(tx, target, bounds, () => {
      for (const call of calls) call.append(tx);
    });
  const mutable = [target.wallet, ...calls.flatMap((call) => call.mutable)];
  return [{ append, objects: calls.flatMap((call) => call.objects), mutable }];
}

const listCoinTypes = ({ spends, receives }: DraftStep) =>
  [...spends, ...receives].map(({ coinType }) => coinType);

export function mergeGrants(grants: readonly Grant[]): Grant[] {
  const merged = new Map<string, Grant>();
  for (const grant of grants) {
    const { amount, ...rest } = { amount: undefined, ...grant };
    const key = JSON.stringify(rest);
    const sum = BigInt(amount ?? 0) + BigInt(getAmount(merged.get(key)) ?? 0);
    merged.set(key, { ...rest, ...(sum > 0n && { amount: String(sum) }) } as Grant);
  }
  return [...merged.values()];
}

/** Returns the refusal if the index has the wallet as paused, or lacks grants that the sender needs; else undefined. */
export function findMissingAuthority(
  grants: readonly Grant[],
  sender: string,
  authority: Authority,
  nowMs: number,
) {
  if (authority.paused) return refusal('wallet_paused');
  const missing = grants.filter((grant) => !isGranted(grant, sender, authority, nowMs));
  if (missing.length === 0) return undefined;
  const rows = missing.map((grant) => ({ path: grant.kind, message: buildGrantCall(grant, sender) }));
  return refusal('grant_missing', `Missing: ${rows.map(({ message }) => message).join('; ')}.`, rows);
}

function isGranted(grant: Grant, sender: string, authority: Authority, nowMs: number): boolean {
  const { owner, delegate, grants } = authority;
  const needed = BigInt(getAmount(grant) ?? 0);
  switch (grant.kind) {
    case 'delegate':
      return sender === owner || (delegate !== undefined && (delegate.expiresMs ?? Infinity) > nowMs);
    case 'service':
      return grants.some(({ serviceType }) => serviceType === grant.serviceType);
    case 'serviceBudget':
      return sender === owner || holds(delegate?.services.get(grant.serviceType), needed);
    case 'coinBudget':
      return sender === owner || holds(delegate?.coins.get(grant.coinType ?? ''), needed);
    case 'serviceCoin':
      return grants.some(
        ({ serviceType, coin, allowance }) =>
          serviceType === grant.serviceType &&
          (coin === grant.coinType || coin.endsWith('::wallet::AnyCoin')) &&
          // Other wallet packages do not limit grants.
          (allowance === null || BigInt(allowance) >= needed),
      );
    default:
      return true;
  }
}

const holds = (budget: bigint | undefined, needed: bigint) => budget !== undefined && budget >= needed;

interface WalletActor {
  sender: string;
  walletId: string;
}

/** Drafts the steps of a request, in order. @throws ProblemError whose `detail` names the failed step if there are several */
async function draftSteps(
  dependencies: NetworkDependencies,
  steps: readonly ActionStep[],
  acting: WalletActor,
): Promise<DraftStep[]> {
  const nameStep = createStepNamer(steps);
  const [protocolDrafts, callDrafts, spendDrafts] = await Promise.all([
    draftProtocolSteps(dependencies, steps.filter(isProtocolStep), acting, nameStep),
    draftCallSteps(dependencies, steps.filter(isCall), acting.walletId, nameStep),
    draftSpendSteps(dependencies, steps.filter(isSpend), acting, nameStep),
  ]);
  const nextDraft = (step: ActionStep) => {
    if (isSpend(step)) return spendDrafts.shift()!;
    return (isCall(step) ? callDrafts : protocolDrafts).shift()!;
  };
  return steps.map((step) => {
    const drafted = nextDraft(step);
    return drafted.doubt ? { ...drafted, doubt: nameStep(step, drafted.doubt) } : drafted;
  });
}

async function draftProtocolSteps(
  dependencies: NetworkDependencies,
  steps: readonly ProtocolStep[],
  { walletId }: WalletActor,
  nameStep: NameStep,
): Promise<DraftStep[]> {
  const listed = await findListed(dependencies, steps, nameStep);
  return Promise.all(
    listed.map((one) =>
      draftProtocolStep(dependencies, walletId, one).catch((error) => {
        throw nameStep(one.step, error);
      }),
    ),
  );
}

async function draftSpendSteps(
  dependencies: NetworkDependencies,
  steps: readonly SpendStep[],
  { sender, walletId }: WalletActor,
  nameStep: NameStep,
): Promise<DraftStep[]> {
  if (steps.length === 0) return [];
  const capIds = steps.flatMap(({ capId }) => capId ?? []);
  const held = await readCaps(dependencies, { sender, walletId, requestedIds: capIds });
  const drafted: DraftStep[] = [];
  const spent = new Map<string, bigint>();
  for (const step of steps) {
    const choice = { dependencies, held, step, sender, spent };
    const draft = await draftSpendStep(dependencies, walletId, choice).catch((error) => {
      throw nameStep(step, error);
    });
    drafted.push(draft);
    const { capId } = draft;
    if (capId !== null) spent.set(capId, (spent.get(capId) ?? 0n) + BigInt(step.amount));
  }
  return drafted;
}

const isSpend = (step: ActionStep): step is SpendStep => step.action === 'spend';
const isCall = (step: ActionStep): step is CallStep => step.action === 'call';
const isProtocolStep = (step: ActionStep): step is ProtocolStep => !isSpend(step) && !isCall(step);

const titles = { ...protocolActions, spend: { title: 'Payment' }, call: { title: 'Call' } };

function describeStep(step: DraftStep, units: ReadonlyMap<string, CoinUnit>): string {
  const { action, adaptor, about, recipient, spends, receives } = step;
  const sums = (coins: readonly CoinAmount[]) =>
    coins
      .map(({ coinType, amount }) => describeAmount(coinType, String(amount), units.get(coinType)))
      .join(' and ');
  return [
    titles[action as keyof typeof titles].title,
    ...(adaptor ? [` through ${adaptor.name}`] : []),
    ...(about === null ? [] : [` (${about})`]),
    ': ',
    spends.length > 0 ? `takes at most ${sums(spends)} out of the wallet` : 'takes nothing out of the wallet',
    ...(recipient === null ? [] : [` and pays it to ${recipient}`]),
    ...(receives.length > 0 ? [`, brings at least ${sums(receives)} into it`] : []),
    '.',
  ].join('');
}
