import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { callOptions } from '@adaptor-marketplace/adaptor/chain';
import { TransactionError } from '@mysten/sui/client';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import type { Pool } from 'pg';
import type { GasCoin } from '../../../db/queries/agent/gas-coins.ts';
import { freeze } from '../../../db/queries/agent/operator.ts';
import {
  readKnownVersions,
  readUnrecorded,
  type WalletTransaction,
} from '../../../db/queries/agent/unrecorded.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { toCoin } from './gas-data.ts';
import { type Node, readForCoins, waitForPackages } from './node.ts';
import { readWalletFlows } from './wallet-flows.ts';

/** A signed transaction that this process sends: its run had the digest when that began. */
export interface SentTransaction extends Pick<WalletTransaction, 'digest'> {
  node: Node;
  walletId: string;
}

type CoinVersion = Pick<GasCoin, 'coinId' | 'version'>;

export interface UnrecordedOptions {
  db: Pool;
  node: Node;
  /** Address whose coins pay the gas. */
  payer: string;
  sending: ReadonlySet<SentTransaction>;
  /** Counts a wallet that is frozen. */
  alarm(): void;
  log: Logger;
  now: () => Date;
  signal: AbortSignal;
}

const callMs = 15_000;

/** Maximum number of transactions to go back. A node could otherwise show more without an end. */
const walkedMax = 100_000;

/**
 * Freezes the wallets of transactions that the payer's coins paid for and that no run has: a database which lost its
 * newest changes, by a failover or a restored backup, would let their requests be paid again. Each transaction of the
 * managed key moves a gas coin to a later version, so they are found from the coins: back, payment by payment, to the
 * versions that the database has. Before the first coins are stored there is nothing to compare them with. Those that
 * this process still sends may execute later, so no coin shows them yet.
 *
 * A run's digest is committed before its transaction is sent. The database is therefore read after the chain: it then has
 * the run of everything that the chain showed, however many processes pay meanwhile.
 * @param listed the payer's coins, as its node has them, read before this call
 * @throws RunFailedError `node_unavailable`, or an error of the database. Nothing may be signed then.
 */
export async function freezeUnrecorded(
  options: UnrecordedOptions,
  listed: readonly CoinVersion[],
): Promise<void> {
  const { db, node, sending, alarm, log, now } = options;
  const { network } = node.settings;
  const sent = [...sending]
    .filter((one) => one.node.settings.network === network)
    .map(({ digest, walletId }) => ({ digest, walletIds: [walletId] }));
  const executed = await findExecuted(options, listed);
  const byWallet = new Map<string, Set<string>>();
  for (const { digest, walletIds } of await readUnrecorded(db, network, [...executed, ...sent]))
    for (const walletId of walletIds)
      byWallet.set(walletId, (byWallet.get(walletId) ?? new Set()).add(digest));
  for (const [walletId, found] of byWallet) {
    const digests = [...found];
    const reason = describeUnrecorded(digests);
    await freeze(db, { network, walletId, reason, frozenAt: now(), digest: digests[0]! });
    alarm();
    log.error({ network, walletId, digests }, 'no run has a transaction of the agent; the wallet is frozen');
  }
}

/** Returns the transactions that moved the coins since the database stored them. */
async function findExecuted(
  options: UnrecordedOptions,
  listed: readonly CoinVersion[],
): Promise<WalletTransaction[]> {
  const { db, node, payer, signal } = options;
  const known = await readKnownVersions(db, { network: node.settings.network, payer });
  const isUnknown = ({ coinId, version }: CoinVersion) => version > (known.get(coinId) ?? -1);
  const moved = listed.filter(isUnknown);
  if (known.size === 0 || moved.length === 0) return [];
  return await readForCoins(signal, () => walkBack(options, moved, isUnknown));
}

/**
 * Returns the transactions that the payer's coins paid for, from these versions back to those that the database has.
 * @throws an error of a node: it does not answer, or is behind
 */
async function walkBack(
  options: UnrecordedOptions,
  moved: readonly CoinVersion[],
  isUnknown: (coin: CoinVersion) => boolean,
): Promise<WalletTransaction[]> {
  const { node, log, signal } = options;
  const { network } = node.settings;
  const { wallet } = await waitForPackages(node, signal);
  const transactions: WalletTransaction[] = [];
  const seen = new Set<string>();
  const current = new Set(moved);

  /** Adds the transaction that made the coin, if the payer paid for it. Returns the unknown coins that it used. */
  async function stepBack(coin: CoinVersion): Promise<CoinVersion[]> {
    const digest = await readWriterDigest(options, coin);
    if (digest === undefined) {
      const { coinId, version } = coin;
      // The nodes are behind the one that listed the coin.
      if (current.has(coin)) throw new Error(`no node has the gas coin ${coinId} at version ${version}`);
      log.error(
        { network, coinId, version },
        'no node has a gas coin of the agent at this version; runs before it may be missing in the database',
      );
      return [];
    }
    if (seen.has(digest)) return [];
    seen.add(digest);
    const transaction = await readTransaction(options, digest);
    if (transaction === 'pruned') {
      log.error(
        { network, digest },
        'the nodes have pruned a transaction that moved a gas coin of the agent; runs before it may be missing in the database',
      );
      return [];
    }
    if (!transaction) return [];
    const { others } = readWalletFlows(transaction.events, wallet.versionIds, '');
    transactions.push({ digest, walletIds: [...new Set(others)] });
    return transaction.payment.filter(isUnknown);
  }

  let coins = [...moved];
  while (coins.length > 0 && seen.size < walkedMax) coins = (await Promise.all(coins.map(stepBack))).flat();
  if (coins.length > 0)
    log.error(
      { network, transactions: seen.size },
      'too many transactions of the agent since the state of the database; earlier runs may be missing in it',
    );
  return transactions;
}

const digestsShown = 3;

function describeUnrecorded(digests: readonly string[]): string {
  const shown = digests.slice(0, digestsShown).join(', ');
  const more = digests.length > digestsShown ? ` and ${digests.length - digestsShown} more` : '';
  return `The database lost the runs of the transactions ${shown}${more}, which executed or are still sent. Requests of the last minutes could be paid again.`;
}

/** Returns the digest of the transaction that wrote the coin at this version; undefined if no node has that version. */
async function readWriterDigest(
  { node, signal }: UnrecordedOptions,
  { coinId, version }: CoinVersion,
): Promise<string | undefined> {
  const request = {
    objectId: coinId,
    version: BigInt(version),
    readMask: { paths: ['previous_transaction'] },
  };
  for (const { ledgerService } of listClients(node)) {
    try {
      const { object } = await ledgerService.getObject(request, callOptions(callMs, signal)).response;
      if (object?.previousTransaction !== undefined) return object.previousTransaction;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return undefined;
}

const isNotFound = (error: unknown) => error instanceof RpcError && error.code === 'NOT_FOUND';

const listClients = ({ client, archive }: Node) => (archive ? [client, archive] : [client]);

const include = { transaction: true, effects: true, events: true } as const;

/**
 * Returns a transaction; undefined if no node has it, and each has pruned checkpoints.
 * @throws an error of a node: it does not answer, or is behind
 */
async function findTransaction({ node, signal }: UnrecordedOptions, digest: string) {
  let failure: unknown;
  for (const client of listClients(node)) {
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(callMs)]);
      return await client.getTransaction({ digest, include, signal: limit });
    } catch (error) {
      const isAbsent = error instanceof TransactionError && error.reason === 'notFound';
      if (!isAbsent || !(await hasPruned(client, signal))) failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

async function hasPruned({ ledgerService }: Node['client'], signal: AbortSignal): Promise<boolean> {
  const info = await ledgerService.getServiceInfo({}, callOptions(callMs, signal)).response;
  return (info.lowestAvailableCheckpoint ?? 0n) > 0n;
}

/** Reads a transaction and the coins that paid for it, undefined if another paid, `pruned` if no node has it. */
async function readTransaction(options: UnrecordedOptions, digest: string) {
  const result = await findTransaction(options, digest);
  if (!result) return 'pruned';
  const { transaction, events } =
    result.$kind === 'Transaction' ? result.Transaction : { ...result.FailedTransaction, events: [] };
  const { owner, payment } = transaction.gasData;
  return normalizeAddress(owner ?? '') === options.payer
    ? { events, payment: (payment ?? []).map(toCoin) }
    : undefined;
}
