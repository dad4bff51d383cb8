import { randomBytes } from 'node:crypto';
import {
  type ExecutableOp,
  findOpCoins,
  isExecutable,
  listRequiredValues,
} from '@adaptor-marketplace/adaptor/manifest';
import {
  type FormerOp,
  type PastCoin,
  readPastCoins,
  type SimulatedEntry,
} from '../../../db/queries/canaries/due.ts';
import type { CanaryResult } from '../../../db/queries/canaries/record.ts';
import { readCoins } from '../../../db/queries/coins.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { type CanaryOutcome, type CanaryRun, judgeRuns } from '../../../lib/canaries/judge.ts';
import { type CanaryCoins, chooseCoins, listPaid, settleCoins, suiCoin } from './coins.ts';
import { readBalances, simulateTrial } from './simulate.ts';
import { chooseSizes } from './sizes.ts';
import { type Fund, namesCoin, takesAmount } from './trial.ts';

/** Maximum number of ops of an entry that are simulated: the first ones. */
const opsMax = 32;

interface CanaryContext {
  network: string;
  db: Queryable;
  simulator: Parameters<typeof simulateTrial>[0];
  /** Id of the newest version of the wallet package. */
  walletPackageId: string;
  /** Reads the newest checkpoint that the node has named. */
  readCheckpoint(): number | undefined;
}

/** The reason why an op is not simulated, in words for people. */
type Untried = { untried: string };

/**
 * Simulates the executable ops of an entry, each for its sizes, and judges them.
 * @throws RpcError if the node does not answer
 */
export async function runCanary(
  context: CanaryContext,
  serviceType: string,
  entry: SimulatedEntry,
): Promise<CanaryResult[]> {
  const listed = listOps(entry);
  if (listed.length === 0) return [];
  const past = await readPastCoins(context.db, context.network, serviceType);
  const likely = chooseCoins(past, entry.supportedCoins);
  const settled = findOpCoins(entry.manifestHash, entry.opCoins, []);
  const ops = listed.map((one) => {
    const opCoins = settled.find(({ index }) => index === one.position);
    return { ...one, coins: opCoins ? settleCoins(likely, opCoins) : likely };
  });
  const paid = listPaid(ops.map(({ coins }) => coins));
  const purse = await findPurse(context, past, paid);
  const results: CanaryResult[] = [];
  for (const { name, op, position, coins } of ops) {
    const former = entry.former.find((one) => one.op === name);
    if (listRequiredValues(op).size > 0) {
      // An earlier version may have worked without: its state says nothing about this one.
      results.push({
        op: name,
        position,
        state: 'unproven',
        formerState: former?.state,
        everWorked: false,
        untried: 'It needs a value that only its caller knows.',
        runs: [],
      });
      continue;
    }
    const subject = { serviceType, packageId: entry.packageId, op, coins, past, purse, former };
    const outcomes = await tryOp(context, subject);
    results.push(judgeOp(context, { name, position, former, version: entry.version }, outcomes));
  }
  return results;
}

/** Returns the executable ops under their names, the first ones. */
function listOps({ ops, misfits, manifestHash }: SimulatedEntry) {
  const seen = new Map<string, number>();
  const misfitting = new Set(
    misfits.flatMap((misfit) => (misfit.manifestHash === manifestHash ? [misfit.index] : [])),
  );
  return ops
    .flatMap((op, position) => {
      if (misfitting.has(position) || !isExecutable(op)) return [];
      const target = `${op.module}::${op.entry}`;
      const count = (seen.get(target) ?? 0) + 1;
      seen.set(target, count);
      return [{ name: count === 1 ? target : `${target}#${count}`, op, position }];
    })
    .slice(0, opsMax);
}

/** Sender of the simulations, and what it has of each coin beside SUI. */
interface Purse {
  sender: string;
  holderId: string | undefined;
  balances: ReadonlyMap<string, bigint>;
}

/** Finds the wallet that used the service and has most of the likeliest coin. The owner sends the simulations. */
async function findPurse(
  { simulator, walletPackageId }: CanaryContext,
  past: readonly PastCoin[],
  paid: readonly string[],
): Promise<Purse> {
  // No adaptor can recognise an address that is never used again.
  const sender = `0x${randomBytes(32).toString('hex')}`;
  const coins = paid.filter((coin) => coin !== suiCoin);
  const paidCoins = past.filter(({ coinType }) => coins.includes(coinType));
  const wallets = [
    ...new Map(paidCoins.flatMap((coin) => coin.wallets).map((one) => [one.walletId, one])).values(),
  ];
  const none = { sender, holderId: undefined, balances: new Map() };
  if (wallets.length === 0) return none;
  const query = { sender, walletPackageId, wallets: wallets.map(({ walletId }) => walletId), coins };
  const balances = await readBalances(simulator, query);
  if (!balances) return none;
  const purses = wallets.map(({ walletId, owner }, walletIndex) => ({
    sender: owner,
    holderId: walletId,
    balances: new Map(
      coins.map((coin, coinIndex) => [coin, balances[walletIndex * coins.length + coinIndex]!]),
    ),
  }));
  const [first] = coins;
  return purses.toSorted((a, b) => (a.balances.get(first!)! > b.balances.get(first!)! ? -1 : 1))[0]!;
}

interface Subject {
  serviceType: string;
  packageId: string;
  op: ExecutableOp;
  coins: CanaryCoins;
  past: readonly PastCoin[];
  purse: Purse;
  former: FormerOp | undefined;
}

/**
 * Simulates an op for its sizes. The coin is the one that its objects settle, or the one that it took when it worked before,
 * or the first one that fits.
 */
async function tryOp(context: CanaryContext, subject: Subject): Promise<CanaryOutcome[] | Untried> {
  const { op, coins, purse, former } = subject;
  const known = former?.everWorked && !coins.isSettled ? findCoin(former.runs) : undefined;
  const held = coins.paid.filter((coin) => coin === suiCoin || purse.balances.get(coin));
  const likely = namesCoin(op) ? coins.paid : held;
  /** `true` if the wallet has every coin that the op may take. */
  const hasAllCoins = namesCoin(op) || held.length === coins.paid.length;
  let untried: Untried | undefined;
  for (const coinIn of known === undefined ? likely : [known]) {
    const outcomes = await trySizes(context, subject, coinIn);
    if ('untried' in outcomes) untried ??= outcomes;
    else if (former?.everWorked || hasAllCoins || outcomes.some(({ failure }) => failure === null))
      return outcomes;
    // It may have failed for want of a coin.
    else untried ??= noHolder;
  }
  return untried ?? noHolder;
}

/** Returns the coin that the last call which took one took. */
const findCoin = (runs: readonly CanaryRun[]): string | undefined =>
  runs.flatMap(({ outcomes }) => outcomes).findLast(({ coinIn }) => coinIn !== null)?.coinIn ?? undefined;

const noHolder: Untried = { untried: 'No wallet that used the adaptor holds the coin.' };

/** Failures of a call whose type arguments do not match its objects. */
const misfits: ReadonlySet<string | null> = new Set(['CommandArgumentError', 'TypeArgumentError']);

async function trySizes(
  context: CanaryContext,
  subject: Subject,
  coinIn: string,
): Promise<CanaryOutcome[] | Untried> {
  const { op, coins, purse, former, packageId, serviceType: service } = subject;
  const sizes = await readSizes(context, subject, coinIn);
  const outcomes: CanaryOutcome[] = [];
  for (const size of takesAmount(op) ? sizes : [sizes[Math.floor(sizes.length / 2)]!]) {
    const funds = chooseFunds({ paid: namesCoin(op) ? [coinIn] : coins.paid, coinIn, size, purse });
    if (!funds) return noHolder;
    const amount = takesAmount(op) ? funds[0].amount : undefined;
    const outcome = await simulateTrial(context.simulator, {
      sender: purse.sender,
      holderId: purse.holderId,
      walletPackageId: context.walletPackageId,
      service,
      packageId,
      op,
      amount,
      coinIn,
      coinOut: coins.chooseReceived(coinIn),
      funds,
    });
    if (outcome === 'unfunded') return { untried: 'The coins of its holder were moved meanwhile.' };
    if (!former?.everWorked && misfits.has(outcome.failure)) {
      return { untried: 'It is not called with the coins that are known.' };
    }
    outcomes.push(outcome);
  }
  return outcomes;
}

async function readSizes({ db, network }: CanaryContext, { past }: Subject, coin: string): Promise<bigint[]> {
  const used = past.find(({ coinType }) => coinType === coin);
  if (used) return chooseSizes(used.taken.map(BigInt), used.decimals);
  const [known] = await readCoins(db, [{ network, coinType: coin }]);
  return chooseSizes([], known?.decimals);
}

/**
 * Returns the coins to pay into the wallet, `size` of each. The first is `coinIn`, with less if the purse has less. Other coins
 * that the purse lacks are left out.
 * @returns undefined if the purse has nothing of `coinIn`
 */
function chooseFunds({
  paid,
  coinIn,
  size,
  purse,
}: {
  paid: readonly string[];
  coinIn: string;
  size: bigint;
  purse: Purse;
}): [Fund, ...Fund[]] | undefined {
  const getBalance = (coin: string) => (coin === suiCoin ? size : (purse.balances.get(coin) ?? 0n));
  const balance = getBalance(coinIn);
  const amount = balance < size ? balance : size;
  if (amount === 0n) return undefined;
  const others = paid.filter((coin) => coin !== coinIn && getBalance(coin) >= size);
  return [{ coinType: coinIn, amount }, ...others.map((coinType) => ({ coinType, amount: size }))];
}

interface JudgedOp {
  name: string;
  position: number;
  former: FormerOp | undefined;
  version: number;
}

function judgeOp(
  { readCheckpoint }: CanaryContext,
  { name: op, position, former, version }: JudgedOp,
  tried: CanaryOutcome[] | Untried,
): CanaryResult {
  const runs: CanaryRun[] = former?.runs ?? [];
  const known = { op, position, formerState: former?.state };
  if ('untried' in tried) {
    const { state = 'unproven', everWorked = false } = former ?? {};
    return { ...known, ...tried, state, everWorked, runs };
  }
  const run = { at: Date.now(), checkpoint: readCheckpoint() ?? null, version, outcomes: tried };
  const later = [...runs, run];
  const everWorked = former?.everWorked || tried.some(({ failure }) => failure === null);
  return { ...known, untried: null, state: judgeRuns(later, everWorked), everWorked, runs: later };
}
