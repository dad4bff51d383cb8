import { setTimeout as delay } from 'node:timers/promises';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { SuiClientTypes } from '@mysten/sui/client';
import type { Signed } from '../../../db/queries/agent/settle-run.ts';
import { chargedOf } from './prepare.ts';
import type { Node } from './node.ts';
import { namedVersions, seeObjects, seeTransaction } from './observe.ts';
import { type Round, Rounds } from './verdict.ts';

const include = { effects: true, events: true } as const;

/** What became of a signed transaction, and what the chain charged for its gas, in MIST. */
export type Verdict =
  | { kind: 'executed'; events: SuiClientTypes.Event[]; gasCharged: bigint }
  | { kind: 'failed'; status: SuiClientTypes.ExecutionStatus; gasCharged: bigint }
  /** It never ran and never will: another transaction has used an object that it names. */
  | { kind: 'impossible' }
  /**
   * No configured node can say whether it ran, and it can no longer run. `executed`: an object shows that it did, but
   * not whether it succeeded.
   */
  | { kind: 'unknown'; executed: boolean };

type Result = SuiClientTypes.TransactionResult<typeof include>;

const callMs = 15_000;
const pause = { firstMs: 200, maxMs: 5_000 };

/** The nodes of a network that may know what became of a transaction. */
type Nodes = Pick<Node, 'client' | 'archive'>;

/**
 * Sends the signed bytes, again and again, until the chain has a verdict on them: the same bytes run once at most. A
 * node that does not answer, or has lost the answer, is asked what it knows. Rejects only with the signal's reason.
 * @param onTrouble called once, when the first attempt brought no verdict
 */
export async function sendUntilSettled(
  nodes: Nodes,
  signed: Signed,
  signal: AbortSignal,
  onTrouble: (reason: string) => Promise<void>,
): Promise<Verdict> {
  const { digest, signedCheckpoint } = signed;
  const named = { digest, versions: namedVersions(signed.transaction) };
  const rounds = new Rounds(signedCheckpoint === null ? null : BigInt(signedCheckpoint));
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    const sent = await send(nodes.client, signed, signal);
    if (typeof sent !== 'string') return verdictOf(sent);
    const objects = await seeObjects(nodes.client, named, signal);
    const found = await search(nodes, digest, { objects, rounds, signal });
    if ('result' in found) return verdictOf(found.result);
    const conclusion = rounds.add({ objects, lookups: found.lookups });
    if (conclusion === 'impossible') return { kind: 'impossible' };
    if (conclusion === 'unknown') return { kind: 'unknown', executed: rounds.executed };
    if (attempt === 0) await onTrouble(sent);
    await delay(Math.min(pause.firstMs * 2 ** attempt, pause.maxMs), undefined, { signal });
  }
}

/** Looks for the transaction, in the archive too where the node may have pruned it. */
async function search(
  { client, archive }: Nodes,
  digest: string,
  { objects, rounds, signal }: { objects: Round['objects']; rounds: Rounds; signal: AbortSignal },
): Promise<{ result: Result } | Pick<Round, 'lookups'>> {
  const mover = objects.kind === 'moved' ? objects.by : undefined;
  const lookups: Round['lookups'][number][] = [];
  for (const node of archive ? [client, archive] : [client]) {
    const known = await lookUp(node, digest, signal);
    if (known) return { result: known };
    // Only this answer counts as absence: it comes after the objects were read, with what moved one on beside it.
    const seen = await seeTransaction(node, digest, mover, signal);
    const shown = seen.kind === 'found' ? await lookUp(node, digest, signal) : undefined;
    if (shown) return { result: shown };
    lookups.push(seen);
    if (!rounds.cannotKnow(seen)) break;
  }
  return { lookups };
}

/** Longest wait for a node to show what executed. The verdict is there already, so the run goes on without it. */
const shownMs = 10_000;

/**
 * Waits until a node shows the transaction to those who ask for it, and resolves to whether one does: false after ten
 * seconds. Rejects only with the signal's reason.
 */
export async function waitUntilShown(
  { client, archive }: Nodes,
  digest: string,
  signal: AbortSignal,
): Promise<boolean> {
  const over = AbortSignal.timeout(shownMs);
  const either = AbortSignal.any([signal, over]);
  for (let attempt = 0; !either.aborted; attempt += 1) {
    if (await lookUp(client, digest, either)) return true;
    if (archive && (await lookUp(archive, digest, either))) return true;
    const pauseMs = Math.min(50 * 2 ** attempt, pause.maxMs);
    await delay(pauseMs, undefined, { signal: either }).catch(() => undefined);
  }
  signal.throwIfAborted();
  return false;
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

const limited = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(callMs)]);

function verdictOf(result: Result): Verdict {
  if (result.$kind === 'Transaction') {
    const { events, effects } = result.Transaction;
    return { kind: 'executed', events, gasCharged: chargedOf(effects.gasUsed) };
  }
  const { status, effects } = result.FailedTransaction;
  return { kind: 'failed', status, gasCharged: chargedOf(effects.gasUsed) };
}
