import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { SuiClientTypes } from '@mysten/sui/client';
import type { SignedTransaction } from '../../../db/queries/agent/runs.ts';
import type { Node } from './node.ts';
import { seeObjects, seeTransaction } from './observe.ts';
import { type Round, Rounds } from './rounds.ts';
import { listNamedVersions } from './signed-transaction.ts';

const include = { effects: true, events: true } as const;

/** Outcome of a signed transaction. */
export type Verdict =
  | { kind: 'executed'; events: SuiClientTypes.Event[]; effects: SuiClientTypes.TransactionEffects }
  | { kind: 'failed'; status: SuiClientTypes.ExecutionStatus; effects: SuiClientTypes.TransactionEffects }
  /** The transaction never ran and never will: another one has used an object that it names. */
  | { kind: 'impossible' }
  /** No node can say whether it ran, and it can no longer run. `executed`: it ran, but no node shows the result. */
  | { kind: 'unknown'; executed: boolean };

type Result = SuiClientTypes.TransactionResult<typeof include>;

const callMs = 15_000;

/** Timing of the attempts to send a signed transaction and look it up. */
export interface SettleTiming {
  /** Pause after the first attempt without a result; it doubles with each attempt. */
  pauseMs: number;
  pauseMsMax: number;
  /** Longest wait for a node to return what executed. The result is known by then, so the run continues without it. */
  shownMsMax: number;
}

export const defaultSettleTiming: SettleTiming = { pauseMs: 200, pauseMsMax: 5_000, shownMsMax: 10_000 };

type Nodes = Pick<Node, 'client' | 'archive'>;

/**
 * Sends the signed bytes, which the chain executes at most once, and looks them up, until the chain has a verdict.
 * Rejects only with the signal's reason or an error of `onTrouble`, which is called with the number of each attempt that
 * brought no verdict, from 0 on.
 */
export async function sendUntilSettled(
  nodes: Nodes,
  signed: SignedTransaction,
  { signal, timing }: { signal: AbortSignal; timing: SettleTiming },
  onTrouble: (reason: string, attempt: number) => Promise<void>,
): Promise<Verdict> {
  const { digest, signedCheckpoint } = signed;
  const named = { digest, versions: listNamedVersions(signed.transaction) };
  const rounds = new Rounds(signedCheckpoint === null ? null : BigInt(signedCheckpoint));
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    const sent = await send(nodes.client, signed, signal);
    if (typeof sent !== 'string') return toVerdict(sent);
    const objects = await seeObjects(nodes.client, named, signal);
    const found = await findResult(nodes, digest, { objects, rounds, signal });
    if ('result' in found) return toVerdict(found.result);
    const conclusion = rounds.add({ objects, lookups: found.lookups });
    if (conclusion === 'impossible') return { kind: 'impossible' };
    if (conclusion === 'unknown') return { kind: 'unknown', executed: rounds.executed };
    await onTrouble(sent, attempt);
    await delay(Math.min(timing.pauseMs * 2 ** attempt, timing.pauseMsMax), undefined, { signal });
  }
}

/** Looks for the transaction on the node, and in the archive if the node may have pruned it. */
async function findResult(
  { client, archive }: Nodes,
  digest: string,
  { objects, rounds, signal }: { objects: Round['objects']; rounds: Rounds; signal: AbortSignal },
): Promise<{ result: Result } | Pick<Round, 'lookups'>> {
  const mover = objects.kind === 'moved' ? objects.by : undefined;
  const lookups: Round['lookups'][number][] = [];
  for (const node of archive ? [client, archive] : [client]) {
    const known = await lookUp(node, digest, signal);
    if (known) return { result: known };
    // Only this response proves absence: the node sent it after the objects were read, together with the lookup of
    // `mover`.
    const seen = await seeTransaction(node, digest, mover, signal);
    const shown = seen.kind === 'found' ? await lookUp(node, digest, signal) : undefined;
    if (shown) return { result: shown };
    lookups.push(seen);
    if (!rounds.cannotKnow(seen)) break;
  }
  return { lookups };
}

/** Waits until a node shows the transaction; `false` after `shownMsMax`. Rejects only with the signal's reason. */
export async function waitUntilShown(
  { client, archive }: Nodes,
  digest: string,
  { signal, timing }: { signal: AbortSignal; timing: SettleTiming },
): Promise<boolean> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timing.shownMsMax)]);
  for (let attempt = 0; !stop.aborted; attempt += 1) {
    for (const node of archive ? [client, archive] : [client]) {
      const shown = await node.getTransaction({ digest, signal: addTimeout(stop) }).catch(() => undefined);
      if (shown) return true;
    }
    const pauseMs = Math.min(50 * 2 ** attempt, timing.pauseMsMax);
    await delay(pauseMs, undefined, { signal: stop }).catch(() => undefined);
  }
  signal.throwIfAborted();
  return false;
}

/** Returns the result, or the reason why there is none. */
async function send(
  client: Node['client'],
  { transaction, signatures }: SignedTransaction,
  signal: AbortSignal,
): Promise<Result | string> {
  try {
    return await client.executeTransaction({
      transaction,
      signatures,
      include,
      signal: addTimeout(signal),
    });
  } catch (error) {
    return getErrorMessage(error);
  }
}

async function lookUp(
  client: Node['client'],
  digest: string,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return await client.getTransaction({ digest, include, signal: addTimeout(signal) }).catch(() => undefined);
}

const addTimeout = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(callMs)]);

function toVerdict(result: Result): Verdict {
  if (result.$kind === 'Transaction') {
    const { events, effects } = result.Transaction;
    return { kind: 'executed', events, effects };
  }
  const { status, effects } = result.FailedTransaction;
  return { kind: 'failed', status, effects };
}
