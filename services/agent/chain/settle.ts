import { setTimeout as delay } from 'node:timers/promises';
import { bcs } from '@mysten/sui/bcs';
import { ObjectError, type SuiClientTypes } from '@mysten/sui/client';
import type { Signed } from '../../../db/queries/agent/settle-run.ts';
import type { ChainClient } from '../../../lib/chain/client.ts';
import { messageOf } from '../../../lib/errors/index.ts';
import { chargedOf } from './gas.ts';

const include = { effects: true, events: true } as const;

/** What became of a signed transaction, and what the chain charged for its gas, in MIST. */
export type Verdict =
  | { kind: 'executed'; events: SuiClientTypes.Event[]; gasCharged: bigint }
  | { kind: 'failed'; status: SuiClientTypes.ExecutionStatus; gasCharged: bigint }
  /** It never ran and never will: another transaction has used an object that it names. */
  | { kind: 'impossible' };

type Result = SuiClientTypes.TransactionResult<typeof include>;

const callMs = 15_000;
const pause = { firstMs: 200, maxMs: 5_000 };
/** Rounds in a row that must find a transaction impossible: a node behind another may not know of it yet. */
const impossibleRounds = 3;

/**
 * Sends the signed bytes, again and again, until the chain has a verdict on them: the same bytes run once at most. A
 * node that does not answer, or has lost the answer, is asked what it knows. Rejects only with the signal's reason.
 * @param onTrouble told once, when the first attempt brought no verdict
 */
export async function sendUntilSettled(
  client: ChainClient,
  signed: Signed,
  signal: AbortSignal,
  onTrouble: (reason: string) => Promise<void>,
): Promise<Verdict> {
  let rounds = 0;
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    const sent = await send(client, signed, signal);
    if (typeof sent !== 'string') return verdictOf(sent);
    const known = await lookUp(client, signed.digest, signal);
    if (known) return verdictOf(known);
    rounds = (await isOvertaken(client, signed, signal)) ? rounds + 1 : 0;
    if (rounds >= impossibleRounds) return { kind: 'impossible' };
    if (attempt === 0) await onTrouble(sent);
    await delay(Math.min(pause.firstMs * 2 ** attempt, pause.maxMs), undefined, { signal });
  }
}

/** Waits until the node shows the transaction to those who ask for it. Rejects only with the signal's reason. */
export async function waitUntilShown(
  client: ChainClient,
  digest: string,
  signal: AbortSignal,
): Promise<Verdict> {
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    const known = await lookUp(client, digest, signal);
    if (known) return verdictOf(known);
    await delay(Math.min(50 * 2 ** attempt, pause.maxMs), undefined, { signal });
  }
}

/** The result, or why there is none. */
async function send(
  client: ChainClient,
  { transaction, signatures }: Signed,
  signal: AbortSignal,
): Promise<Result | string> {
  try {
    return await client.executeTransaction({
      transaction,
      signatures,
      include,
      signal: limited(signal),
    });
  } catch (error) {
    return messageOf(error);
  }
}

async function lookUp(client: ChainClient, digest: string, signal: AbortSignal): Promise<Result | undefined> {
  return await client.getTransaction({ digest, include, signal: limited(signal) }).catch(() => undefined);
}

/** Whether an object that the transaction names at a version is at a later one by another transaction, or gone. */
async function isOvertaken(
  client: ChainClient,
  { transaction, digest }: Signed,
  signal: AbortSignal,
): Promise<boolean> {
  const named = namedVersions(transaction);
  try {
    const { objects } = await client.getObjects({
      objectIds: [...named.keys()],
      include: { previousTransaction: true },
      signal: limited(signal),
    });
    return objects.some((object) => {
      if (object instanceof Error) return object instanceof ObjectError && object.reason !== 'unknown';
      const later = BigInt(object.version) > BigInt(named.get(object.objectId) ?? object.version);
      return later && object.previousTransaction !== digest;
    });
  } catch {
    return false;
  }
}

/** Versions of the owned objects and gas coins that a transaction names, by their ids. */
function namedVersions(transaction: Uint8Array): Map<string, string> {
  const data = bcs.TransactionData.parse(transaction).V1;
  const named = new Map<string, string>();
  for (const { objectId, version } of data?.gasData.payment ?? []) named.set(objectId, String(version));
  for (const input of data?.kind.ProgrammableTransaction?.inputs ?? []) {
    const owned = input.Object?.ImmOrOwnedObject;
    if (owned) named.set(owned.objectId, String(owned.version));
  }
  return named;
}

const limited = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(callMs)]);

function verdictOf(result: Result): Verdict {
  if (result.$kind === 'Transaction') {
    const { events, effects } = result.Transaction;
    return { kind: 'executed', events, gasCharged: chargedOf(effects.gasUsed) };
  }
  const { status, effects } = result.FailedTransaction;
  return { kind: 'failed', status, gasCharged: chargedOf(effects.gasUsed) };
}
