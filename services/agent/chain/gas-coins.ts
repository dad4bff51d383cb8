import { messageOf, normalizeAddress } from '@adaptor-marketplace/adaptor';
import { Transaction, TransactionDataBuilder } from '@mysten/sui/transactions';
import type { Pool } from 'pg';
import {
  endSplit,
  type GasCoin,
  holdCoins,
  readCoins,
  readOpenSplit,
  readUnheldRuns,
  recordSplit,
  type SignedSplit,
  storeCoins,
} from '../../../db/queries/agent/gas-coins.ts';
import { withAdvisoryLock } from '../../../db/queries/agent/locks.ts';
import { RunFailure } from '../../../lib/agent/run-failure.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Signer } from '../key/signer.ts';
import type { Node } from './node.ts';
import { budgetFor, failureOf, gasBase, gasPaid, referenceTo, withBudget } from './prepare.ts';
import {
  gasPaymentOf,
  newestCheckpoint,
  type SettleTiming,
  sendUntilSettled,
  waitUntilShown,
} from './settle.ts';

/** As many runs at a time as there are coins: more would wait for the node anyway. */
export const coinsWanted = 16;

/** A coin that is made pays for this many of the dearest runs, so that it is not soon too small. */
const runsPerCoin = 4n;

/** Coins that are read and merged at once: as many as one transaction may pay with. A node lists the richest first. */
const listedMax = 256;

const suiType = '0x2::sui::SUI';
const timeoutMs = 15_000;

interface TendOptions {
  db: Pool;
  node: Node;
  payer: Signer;
  /** What a coin must hold to pay for any run, in MIST. */
  gasMax: bigint;
  timing: SettleTiming;
  log: Logger;
  now: () => Date;
  signal: AbortSignal;
}

/**
 * Finds out which coins of the payer there are, as its node says, and makes as many as runs can use. One process does so at
 * a time. Answers how many are free and suffice for a run, how many are in use, and how many the node is behind with.
 * @throws RunFailure `node_unavailable`
 */
export async function tendCoins(
  options: TendOptions,
): Promise<{ free: number; used: number; stale: number }> {
  const { db, node, gasMax } = options;
  const payer = { network: node.settings.network, payer: options.payer.address };
  return await withAdvisoryLock(db, `gas coins ${payer.network} ${payer.payer}`, async () => {
    const open = await readOpenSplit(db, payer);
    if (open) await settleSplit(options, open);
    for (const { run, transaction } of await readUnheldRuns(db, payer)) {
      await holdCoins(db, payer, run, gasPaymentOf(transaction));
    }
    await storeCoins(db, payer, await listCoins(options));
    const known = await readCoins(db, payer);
    const plan = planSplit(
      known.free.map(({ balance }) => balance),
      known.used,
      gasMax,
    );
    if (plan) await split(options, known.free.slice(0, listedMax), plan);
    const { free, used, stale } = plan ? await readCoins(db, payer) : known;
    return { free: free.filter(({ balance }) => balance >= gasMax).length, used, stale };
  });
}

async function listCoins({ node, payer, signal }: TendOptions) {
  const listed = await fromClient(signal, () =>
    node.client.listCoins({
      ...{ owner: payer.address, coinType: suiType, limit: listedMax },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }),
  );
  const coins = listed.objects.map(({ objectId, version, digest, balance }) => ({
    ...{ coinId: normalizeAddress(objectId) ?? objectId, version: Number(version), digest },
    balance: BigInt(balance),
  }));
  return { coins, complete: !listed.hasNextPage };
}

/** Which coins to make of the free ones. */
interface SplitPlan {
  /** How many to make. */
  coins: number;
  /** What each of them holds at least, in MIST. */
  amount: bigint;
  /** The most that making them may cost. */
  budget: bigint;
}

/**
 * Decides whether all free coins become others: where that at least doubles those that can pay for a run. So a sponsor with
 * one large coin gets many, one with many small coins gets a few that suffice, and one that has little pays with one.
 * @param balances of the free coins, the richest first
 * @param used how many more are in use
 */
export function planSplit(balances: readonly bigint[], used: number, gasMax: bigint): SplitPlan | undefined {
  const merged = balances.slice(0, listedMax);
  const total = merged.reduce((sum, balance) => sum + balance, 0n);
  const enough = merged.filter((balance) => balance >= gasMax).length;
  // A new coin costs about a million to store.
  const budgetOf = (coins: number) => gasBase * BigInt(2 + coins);
  const room = Math.max(1, coinsWanted - used);
  for (let coins = room; coins >= 1; coins -= 1) {
    const amount = (total - budgetOf(coins)) / BigInt(coins);
    if (amount < (coins === 1 ? gasMax : runsPerCoin * gasMax)) continue;
    return coins >= Math.max(1, 2 * enough) && merged.length > 0 && (coins > 1 || enough === 0)
      ? { coins, amount, budget: budgetOf(coins) }
      : undefined;
  }
  return undefined;
}

/** Merges the coins into the first, splits it as planned, and records that before it is sent, as a run is. */
async function split(options: TendOptions, coins: readonly GasCoin[], plan: SplitPlan): Promise<void> {
  const { db, node, payer, log, now, signal } = options;
  const { client, settings } = node;
  const checkpoint = await fromClient(signal, () => newestCheckpoint(client, signal));
  const tx = new Transaction();
  const amounts = Array.from({ length: plan.coins - 1 }, () => plan.amount);
  if (amounts.length > 0) {
    const made = tx.splitCoins(tx.gas, amounts);
    tx.transferObjects(
      amounts.map((_, place) => made[place]!),
      payer.address,
    );
  } else {
    // Merging needs no command, and a transaction needs one.
    tx.moveCall({ target: '0x2::coin::value', typeArguments: [suiType], arguments: [tx.gas] });
  }
  const kind = Buffer.from(await tx.build({ onlyTransactionKind: true })).toString('base64');
  tx.setSender(payer.address);
  tx.setGasOwner(payer.address);
  tx.setGasBudget(plan.budget);
  tx.setGasPayment(coins.map(referenceTo));
  const simulated = await fromClient(signal, () =>
    client.simulateTransaction({
      ...{ transaction: tx, doGasSelection: true, include: { bcs: true, effects: true } },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }),
  );
  if (simulated.$kind === 'FailedTransaction') {
    throw failureOf(simulated.FailedTransaction.status, settings);
  }
  const needed = budgetFor(simulated.Transaction.effects.gasUsed);
  const parties = { sender: payer.address, payer: payer.address, payment: coins };
  const transaction = withBudget(
    simulated.Transaction.bcs,
    kind,
    parties,
    needed < plan.budget ? needed : plan.budget,
  );
  const signed: SignedSplit = {
    transaction,
    signatures: [await payer.sign(transaction)],
    digest: TransactionDataBuilder.getDigestFromBytes(transaction),
    amount: plan.amount,
    signedCheckpoint: Number(checkpoint),
  };
  const whose = { network: settings.network, payer: payer.address };
  // A run may have leased one of them meanwhile: then the others stay as they are.
  if (!(await recordSplit(db, whose, signed, coins, now()))) return;
  log.info({ digest: signed.digest, network: settings.network, coins: plan.coins }, 'makes gas coins');
  await settleSplit(options, signed);
}

/** Sends a recorded split until its outcome is known, no matter which process recorded it. */
async function settleSplit(options: TendOptions, signed: SignedSplit): Promise<void> {
  const { db, node, payer, log } = options;
  const { digest } = signed;
  const verdict = await sendUntilSettled(node, { ...signed, bounds: null }, options, async (reason) => {
    log.warn(
      { digest, reason },
      'the node did not return the result of a split of gas coins; sending it again',
    );
  });
  const effects = 'effects' in verdict ? verdict.effects : undefined;
  if (effects) await waitUntilShown(node, digest, options);
  const gas = effects && gasPaid(effects).coin;
  const made = (effects?.changedObjects ?? []).flatMap(
    ({ idOperation, objectId, outputVersion, outputDigest }) =>
      idOperation === 'Created' && outputVersion !== null && outputDigest !== null
        ? [
            {
              coinId: normalizeAddress(objectId) ?? objectId,
              version: Number(outputVersion),
              digest: outputDigest,
            },
          ]
        : [],
  );
  const whose = { network: node.settings.network, payer: payer.address };
  await endSplit(db, whose, signed, gas ? { gas, made } : null);
}

/** Whether the coin is no longer as it was leased: something else has used it. */
export async function isOutdated({ client }: Node, payer: string, coin: GasCoin, signal: AbortSignal) {
  const { objects } = await fromClient(signal, () =>
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

/** @throws RunFailure `node_unavailable` for whatever the call fails with, unless the signal aborted it */
async function fromClient<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    signal.throwIfAborted();
    const reason = messageOf(error).slice(0, 200);
    const detail = `The network's node does not show the operator's gas coins (${reason}). Nothing was sent. Send the request again.`;
    throw new RunFailure('node_unavailable', detail);
  }
}
