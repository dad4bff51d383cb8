import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import type { Pool } from 'pg';
import {
  endSplit,
  type GasCoin,
  leaseSignedCoins,
  readCoins,
  readOpenSplit,
  readRunsWithoutCoins,
  recordSplit,
  type SignedSplit,
  storeCoins,
} from '../../../db/queries/agent/gas-coins.ts';
import { withAdvisoryLock } from '../../../db/queries/agent/locks.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Signer } from '../key/signer.ts';
import { toFailure } from './failures.ts';
import { computeBudget, computePaid, gasBase } from './gas.ts';
import { referenceTo, toCoin, withBudget } from './gas-data.ts';
import { type Node, newestCheckpoint, readForCoins } from './node.ts';
import { type SettleTiming, sendUntilSettled, waitUntilShown } from './settle.ts';
import { parseGasPayment, parseGasPrice } from './signed-transaction.ts';
import { freezeUnrecorded, type UnrecordedOptions } from './unrecorded.ts';

/** Number of gas coins to maintain. Each coin serves one run at a time. More runs would wait for the node anyway. */
export const coinsTarget = 16;

/** Number of runs at the maximum cost that a new coin can pay for, so that it does not soon become too small. */
const runsPerCoin = 4n;

/** Maximum coins to merge: the chain's limit for a gas payment. Nodes list the largest first. */
const listedMax = 256;

const suiType = '0x2::sui::SUI';
const timeoutMs = 15_000;

interface MaintainCoinsOptions {
  db: Pool;
  /** Connections that keep their session. */
  sessions: Pool;
  node: Node;
  payer: Signer;
  /** Minimum balance, in MIST, with which a coin can pay for any run. */
  gasMax: bigint;
  timing: SettleTiming;
  sending: UnrecordedOptions['sending'];
  /** Counts a wallet that is frozen for a transaction without a run. */
  alarm: UnrecordedOptions['alarm'];
  log: Logger;
  now: () => Date;
  signal: AbortSignal;
}

/**
 * Reads the payer's coins from its node, and merges and splits them into as many as runs can use, one process at a
 * time. Wallets with transactions that no run has are frozen first. Returns the number of coins that are free and
 * suffice for a run, that are in use, and that the database knows in a newer version than the node.
 * @throws RunFailedError `node_unavailable`
 */
export async function maintainCoins(
  options: MaintainCoinsOptions,
): Promise<{ free: number; used: number; stale: number }> {
  const { db, sessions, node, gasMax } = options;
  const payer = { network: node.settings.network, payer: options.payer.address };
  return await withAdvisoryLock(sessions, `gas coins ${payer.network} ${payer.payer}`, async () => {
    const unsettled = await readOpenSplit(db, payer);
    if (unsettled) await settleSplit(options, unsettled);
    const listed = await listCoins(options);
    const unrecorded = { ...options, payer: payer.payer };
    await freezeUnrecorded(unrecorded, listed.coins);
    for (const { run, transaction } of await readRunsWithoutCoins(db, payer)) {
      await leaseSignedCoins(db, payer, run, parseGasPayment(transaction));
    }
    await storeCoins(db, payer, listed);
    const known = await readCoins(db, payer);
    const balances = known.free.map(({ balance }) => balance);
    const plan = planSplit(balances, known.used, gasMax);
    if (plan) await split(options, known.free.slice(0, listedMax), plan);
    const { free, used, stale } = plan ? await readCoins(db, payer) : known;
    return { free: free.filter(({ balance }) => balance >= gasMax).length, used, stale };
  });
}

async function listCoins({ node, payer, signal }: MaintainCoinsOptions) {
  const listed = await readForCoins(signal, () =>
    node.client.listCoins({
      owner: payer.address,
      coinType: suiType,
      limit: listedMax,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }),
  );
  // Anyone can send coins as party objects, which pay no gas.
  const coins = listed.objects
    .filter(({ owner }) => owner.$kind === 'AddressOwner')
    .map((coin) => ({ ...toCoin(coin), balance: BigInt(coin.balance) }));
  return { coins, complete: !listed.hasNextPage };
}

interface SplitPlan {
  /** Number of coins after the split. */
  coins: number;
  /** Minimum balance of each coin after the split, in MIST. */
  amount: bigint;
  /** Gas budget of the split, in MIST. */
  budget: bigint;
}

/**
 * Decides whether to merge and split the free coins: only if that at least doubles the coins that can pay for a run.
 * One large coin becomes many, many small ones become a few that suffice, and a payer with little pays with one.
 * @param balances of the free coins, largest first
 * @param used number of the other coins
 */
export function planSplit(balances: readonly bigint[], used: number, gasMax: bigint): SplitPlan | undefined {
  const merged = balances.slice(0, listedMax);
  const total = merged.reduce((sum, balance) => sum + balance, 0n);
  const sufficient = merged.filter((balance) => balance >= gasMax).length;
  // The storage of a new coin costs about a million MIST.
  const estimateBudget = (coins: number) => gasBase * BigInt(2 + coins);
  const room = Math.max(1, coinsTarget - used);
  for (let coins = room; coins >= 1; coins -= 1) {
    const amount = (total - estimateBudget(coins)) / BigInt(coins);
    if (amount < (coins === 1 ? gasMax : runsPerCoin * gasMax)) continue;
    return coins >= Math.max(1, 2 * sufficient) && merged.length > 0 && (coins > 1 || sufficient === 0)
      ? { coins, amount, budget: estimateBudget(coins) }
      : undefined;
  }
  return undefined;
}

/** Merges the coins into the first one and splits it as planned. Like a run, it is recorded before it is sent. */
async function split(
  options: MaintainCoinsOptions,
  coins: readonly GasCoin[],
  plan: SplitPlan,
): Promise<void> {
  const { db, node, payer, log, now, signal } = options;
  const { client, settings } = node;
  const checkpoint = await readForCoins(signal, () => newestCheckpoint(client, signal));
  const tx = new Transaction();
  const amounts = Array.from({ length: plan.coins - 1 }, () => plan.amount);
  if (amounts.length > 0) {
    const splits = tx.splitCoins(tx.gas, amounts);
    tx.transferObjects(
      amounts.map((_, index) => splits[index]!),
      payer.address,
    );
  } else {
    // Gas coins merge without a command, but a transaction needs at least one command.
    tx.moveCall({ target: '0x2::coin::value', typeArguments: [suiType], arguments: [tx.gas] });
  }
  const kind = Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
  tx.setSender(payer.address);
  tx.setGasOwner(payer.address);
  tx.setGasBudget(plan.budget);
  tx.setGasPayment(coins.map(referenceTo));
  const simulated = await readForCoins(signal, () =>
    client.simulateTransaction({
      transaction: tx,
      doGasSelection: true,
      include: { bcs: true, effects: true },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }),
  );
  if (simulated.$kind === 'FailedTransaction') {
    throw toFailure(simulated.FailedTransaction.status, settings);
  }
  const needed = computeBudget(simulated.Transaction.effects.gasUsed);
  const parties = { sender: payer.address, payer: payer.address, payment: coins };
  const budget = needed < plan.budget ? needed : plan.budget;
  const transaction = withBudget(simulated.Transaction.bcs, kind, parties, budget);
  const signed: SignedSplit = {
    transaction,
    signatures: [await payer.sign(transaction)],
    digest: TransactionDataBuilder.getDigestFromBytes(transaction),
    amount: plan.amount,
    signedCheckpoint: Number(checkpoint),
  };
  const account = { network: settings.network, payer: payer.address };
  // If a run has leased one of them in the meantime, the others stay as they are.
  if (!(await recordSplit(db, account, signed, coins, now()))) return;
  log.info({ digest: signed.digest, network: settings.network, coins: plan.coins }, 'makes gas coins');
  await settleSplit(options, signed);
}

/** An epoch began with a higher price of gas: the chain refuses a transaction that was signed before. */
class UnderpricedError extends Error {}

/**
 * Sends a recorded split until its outcome is known, no matter which process recorded it. One that the chain refuses for
 * its price of gas is given up, so that the next one has the new price. If it executes all the same, in an epoch with the
 * former price, the payer's coins have only changed hands with each other.
 */
async function settleSplit(options: MaintainCoinsOptions, signed: SignedSplit): Promise<void> {
  const { db, node, payer, log, signal } = options;
  const { digest } = signed;
  const { network } = node.settings;
  const account = { network, payer: payer.address };
  const verdict = await sendUntilSettled(
    node,
    { ...signed, bounds: null },
    options,
    async (reason, attempt) => {
      if (attempt === 0)
        log.warn(
          { digest, reason },
          'the node did not return the result of a split of gas coins; sending it again',
        );
      if (await isUnderpriced(node, signed, signal)) throw new UnderpricedError();
    },
  ).catch((error: unknown) => {
    if (error instanceof UnderpricedError) return undefined;
    throw error;
  });
  if (!verdict) {
    log.warn(
      { digest, network },
      'the price of gas rose; gives up a split of gas coins and plans another one',
    );
    await endSplit(db, account, signed, null);
    return;
  }
  const effects = 'effects' in verdict ? verdict.effects : undefined;
  if (effects) await waitUntilShown(node, digest, options);
  const gas = effects && computePaid(effects).coin;
  const created = (effects?.changedObjects ?? []).filter(({ idOperation }) => idOperation === 'Created');
  const coins = created.flatMap(({ objectId, outputVersion: version, outputDigest: digest }) =>
    version !== null && digest !== null ? [toCoin({ objectId, version, digest })] : [],
  );
  await endSplit(db, account, signed, gas ? { gas, created: coins } : null);
}

/** Returns `true` if the epoch's price of gas is above the one of a transaction; `false` if the node does not say. */
async function isUnderpriced(
  { client }: Node,
  { transaction }: SignedSplit,
  signal: AbortSignal,
): Promise<boolean> {
  const options = { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) };
  const current = await client.getReferenceGasPrice(options).catch(() => undefined);
  return current !== undefined && BigInt(current.referenceGasPrice) > parseGasPrice(transaction);
}

/** Returns `true` if the coin's version or owner on chain differs from the lease: something else has used it. */
export async function isOutdated({ client }: Node, payer: string, coin: GasCoin, signal: AbortSignal) {
  const { objects } = await readForCoins(signal, () =>
    client.getObjects({
      objectIds: [coin.coinId],
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }),
  );
  const [object] = objects;
  if (!object || object instanceof Error) return true;
  const { owner, version } = object;
  return version !== String(coin.version) || owner.$kind !== 'AddressOwner' || owner.AddressOwner !== payer;
}
