import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage, normalizeAddress } from '@adaptor-marketplace/adaptor';
import { callOptions } from '@adaptor-marketplace/adaptor/chain';
import { bcs } from '@mysten/sui/bcs';
import type { SuiClientTypes } from '@mysten/sui/client';
import { GrpcStatusCode, type GrpcTypes } from '@mysten/sui/grpc';
import type { RpcMetadata, UnaryCall } from '@protobuf-ts/runtime-rpc';
import type { Signed } from '../../../db/queries/agent/runs.ts';
import type { Node } from './node.ts';

const include = { effects: true, events: true } as const;

/** Outcome of a signed transaction. */
export type Verdict =
  | { kind: 'executed'; events: SuiClientTypes.Event[]; effects: SuiClientTypes.TransactionEffects }
  | { kind: 'failed'; status: SuiClientTypes.ExecutionStatus; effects: SuiClientTypes.TransactionEffects }
  /** It never ran and never will: another transaction has used an object that it names. */
  | { kind: 'impossible' }
  /**
   * No configured node can say whether it ran, and it can no longer run. `executed`: an object shows that it did, but
   * not whether it succeeded.
   */
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

/** The nodes of a network that may know the outcome of a transaction. */
type Nodes = Pick<Node, 'client' | 'archive'>;

/**
 * Sends the signed bytes repeatedly until the chain has a verdict on them. The chain executes the same bytes at most
 * once. If a node does not answer, or has lost the answer, the transaction is looked up. Rejects only with the signal's
 * reason.
 * @param onTrouble called once, when the first attempt brought no verdict
 */
export async function sendUntilSettled(
  nodes: Nodes,
  signed: Signed,
  { signal, timing }: { signal: AbortSignal; timing: SettleTiming },
  onTrouble: (reason: string) => Promise<void>,
): Promise<Verdict> {
  const { digest, signedCheckpoint } = signed;
  const named = { digest, versions: namedVersions(signed.transaction) };
  const rounds = new Rounds(signedCheckpoint === null ? null : BigInt(signedCheckpoint));
  for (let attempt = 0; ; attempt += 1) {
    signal.throwIfAborted();
    const sent = await send(nodes.client, signed, signal);
    if (typeof sent !== 'string') return toVerdict(sent);
    const objects = await seeObjects(nodes.client, named, signal);
    const found = await search(nodes, digest, { objects, rounds, signal });
    if ('result' in found) return toVerdict(found.result);
    const conclusion = rounds.add({ objects, lookups: found.lookups });
    if (conclusion === 'impossible') return { kind: 'impossible' };
    if (conclusion === 'unknown') return { kind: 'unknown', executed: rounds.executed };
    if (attempt === 0) await onTrouble(sent);
    await delay(Math.min(timing.pauseMs * 2 ** attempt, timing.pauseMsMax), undefined, { signal });
  }
}

/** Looks for the transaction on the node, and in the archive if the node may have pruned it. */
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

/**
 * Waits until a node returns the transaction. Resolves to `false` if none does within `timing.shownMsMax`. Rejects only
 * with the signal's reason.
 */
export async function waitUntilShown(
  { client, archive }: Nodes,
  digest: string,
  { signal, timing }: { signal: AbortSignal; timing: SettleTiming },
): Promise<boolean> {
  const over = AbortSignal.timeout(timing.shownMsMax);
  const either = AbortSignal.any([signal, over]);
  for (let attempt = 0; !either.aborted; attempt += 1) {
    for (const node of archive ? [client, archive] : [client]) {
      const shown = await node.getTransaction({ digest, signal: limited(either) }).catch(() => undefined);
      if (shown) return true;
    }
    const pauseMs = Math.min(50 * 2 ** attempt, timing.pauseMsMax);
    await delay(pauseMs, undefined, { signal: either }).catch(() => undefined);
  }
  signal.throwIfAborted();
  return false;
}

/** Returns the result, or the reason why there is none. */
async function send(
  client: Node['client'],
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
    return getErrorMessage(error);
  }
}

async function lookUp(
  client: Node['client'],
  digest: string,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return await client.getTransaction({ digest, include, signal: limited(signal) }).catch(() => undefined);
}

const limited = (signal: AbortSignal) => AbortSignal.any([signal, AbortSignal.timeout(callMs)]);

function toVerdict(result: Result): Verdict {
  if (result.$kind === 'Transaction') {
    const { events, effects } = result.Transaction;
    return { kind: 'executed', events, effects };
  }
  const { status, effects } = result.FailedTransaction;
  return { kind: 'failed', status, effects };
}

/** Digest of the transaction, and the versions at which it names objects. */
interface Named {
  digest: string;
  /** Versions of owned objects and gas coins, by their ids. */
  versions: ReadonlyMap<string, bigint>;
}

/** Objects that a transaction names at a version, which no other transaction may have used. */
export function namedVersions(transaction: Uint8Array): Map<string, bigint> {
  const data = bcs.TransactionData.parse(transaction).V1;
  const owned = (data?.kind.ProgrammableTransaction?.inputs ?? []).flatMap(
    ({ Object: object }) => object?.ImmOrOwnedObject ?? [],
  );
  const named = [...(data?.gasData.payment ?? []), ...owned];
  return new Map(named.map(({ objectId, version }) => [objectId, BigInt(version)]));
}

export function parseGasPayment(
  transaction: Uint8Array,
): { coinId: string; version: number; digest: string }[] {
  const payment = bcs.TransactionData.parse(transaction).V1?.gasData.payment ?? [];
  return payment.map(({ objectId, version, digest }) => ({
    coinId: normalizeAddress(objectId) ?? objectId,
    version: Number(version),
    digest,
  }));
}

export async function newestCheckpoint(client: Node['client'], signal: AbortSignal): Promise<bigint> {
  const { checkpointHeight } = await client.ledgerService.getServiceInfo({}, callOptions(callMs, signal))
    .response;
  if (checkpointHeight === undefined) throw new Error('the node does not say which checkpoint is its newest');
  return checkpointHeight;
}

/** Reads the objects that a transaction names, as they are. Never rejects. */
async function seeObjects(
  client: Node['client'],
  { digest, versions }: Named,
  signal: AbortSignal,
): Promise<ObjectsSeen> {
  const ids = [...versions.keys()];
  const readMask = { paths: ['object_id', 'version', 'previous_transaction'] };
  const requests = ids.map((objectId) => ({ objectId }));
  try {
    const call = client.ledgerService.batchGetObjects({ requests, readMask }, callOptions(callMs, signal));
    const { objects } = await call.response;
    if (objects.length !== ids.length) return { kind: 'failed' };
    let seen: ObjectsSeen = { kind: 'unmoved' };
    let gone = false;
    for (const [place, { result }] of objects.entries()) {
      if (result.oneofKind === 'error' && result.error.code === GrpcStatusCode.NOT_FOUND) gone = true;
      else if (result.oneofKind !== 'object') return { kind: 'failed' };
      else {
        const { objectId = '', version, previousTransaction: by } = result.object;
        const id = ids[place]!;
        if (
          normalizeAddress(objectId) !== normalizeAddress(id) ||
          version === undefined ||
          by === undefined
        ) {
          return { kind: 'failed' };
        }
        if (by === digest) return { kind: 'ours' };
        if (version > versions.get(id)!) seen = { kind: 'moved', by };
      }
    }
    if (seen.kind === 'moved' || !gone) return seen;
    const at = await readPosition(client, call, signal);
    return at ? { kind: 'gone', height: at.height } : { kind: 'failed' };
  } catch {
    return { kind: 'failed' };
  }
}

/**
 * Looks the transaction up on a node: after `mover`, which moved an object on, so that a node which shows the one and
 * not the other had executed the first at the time of the second lookup. Never rejects.
 */
async function seeTransaction(
  client: Node['client'],
  digest: string,
  mover: string | undefined,
  signal: AbortSignal,
): Promise<LookupSeen> {
  const digests = mover === undefined ? [digest] : [mover, digest];
  const readMask = { paths: ['digest', 'checkpoint'] };
  try {
    const options = callOptions(callMs, signal);
    const call = client.ledgerService.batchGetTransactions({ digests, readMask }, options);
    const { transactions } = await call.response;
    const own = transactions[digests.length - 1]?.result;
    if (own?.oneofKind === 'transaction' && own.transaction.digest === digest) return { kind: 'found' };
    if (own?.oneofKind !== 'error' || own.error.code !== GrpcStatusCode.NOT_FOUND) return { kind: 'failed' };
    const at = await readPosition(client, call, signal);
    const moverAt = mover === undefined ? null : findCheckpoint(transactions[0], mover);
    return at ? { kind: 'notFound', ...at, moverAt } : { kind: 'failed' };
  } catch {
    return { kind: 'failed' };
  }
}

function findCheckpoint(answer: GrpcTypes.GetTransactionResult | undefined, digest: string): bigint | null {
  if (answer?.result.oneofKind !== 'transaction') return null;
  const { transaction } = answer.result;
  return transaction.digest === digest ? (transaction.checkpoint ?? null) : null;
}

/** Range of checkpoints that a node has. */
interface Position {
  lowest: bigint;
  height: bigint;
}

/**
 * Reads the position of the node that answered from the headers of its response, because the next call may reach
 * another node. If the headers are missing, makes a call of its own.
 */
async function readPosition(
  client: Node['client'],
  { headers }: Pick<UnaryCall, 'headers'>,
  signal: AbortSignal,
): Promise<Position | undefined> {
  const given = await headers;
  const lowest = numberIn(given, 'x-sui-lowest-available-checkpoint');
  const height = numberIn(given, 'x-sui-checkpoint-height');
  if (lowest !== undefined && height !== undefined) return { lowest, height };
  const info = await client.ledgerService.getServiceInfo({}, callOptions(callMs, signal)).response;
  const { lowestAvailableCheckpoint, checkpointHeight } = info;
  if (lowestAvailableCheckpoint === undefined || checkpointHeight === undefined) return undefined;
  return { lowest: lowestAvailableCheckpoint, height: checkpointHeight };
}

function numberIn(headers: RpcMetadata, name: string): bigint | undefined {
  const value = headers[name];
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : undefined;
}

/** State of the objects that the transaction names, according to a node. */
export type ObjectsSeen =
  /** It did not answer, or not in full. */
  | { kind: 'failed' }
  /** They are at the versions that the transaction names: it may still execute. */
  | { kind: 'unmoved' }
  /** The transaction itself wrote one of them: it executed. */
  | { kind: 'ours' }
  /** One is at a later version, which the transaction of this digest made. */
  | { kind: 'moved'; by: string }
  /** One does not exist, on a node of this height. */
  | { kind: 'gone'; height: bigint };

/** Result of a lookup of the transaction on a node. */
export type LookupSeen =
  /** No answer, or an error other than NOT_FOUND. */
  | { kind: 'failed' }
  | { kind: 'found' }
  /**
   * NOT_FOUND, from a node with these checkpoints. `moverAt` is the checkpoint at which the node has the transaction
   * that moved the object on; `null` if it does not have it or if no object has moved.
   */
  | { kind: 'notFound'; lowest: bigint; height: bigint; moverAt: bigint | null };

/** One round of calls: the objects, then the lookup on each node that was queried for it. */
export interface Round {
  objects: ObjectsSeen;
  lookups: readonly LookupSeen[];
}

type Conclusion =
  | 'undecided'
  /** It never executed and never will. */
  | 'impossible'
  /** It can no longer execute, and no node can say whether it did. */
  | 'unknown';

const roundsNeeded = 3;

/** Maximum number of checkpoints by which a node's execution is ahead of its newest checkpoint. */
export const checkpointsBehindMax = 50n;

/**
 * Decides whether a signed transaction that no node shows can still have executed. It makes no calls: it takes in the
 * rounds of responses about one transaction, in order.
 *
 * Absence proves something only on a node that would show the transaction if it had executed. Let it name the object X
 * at version v, and let X be at a later version, made by P. Whatever used X at v executed before P, or is P. So on one
 * consistent node, in this order:
 *
 * 1. X is read, and P found.
 * 2. P is looked up, then the transaction. The node has executed P, at a checkpoint up to its height. If the
 *    transaction had executed, that was before P, so this node had executed it too.
 * 3. The node's lowest available checkpoint is read last. It only rises, so at the lookup no checkpoint after the one
 *    of the signature was pruned, and the transaction cannot be in an earlier one.
 *
 * Then NOT_FOUND means that something else used X, and the transaction can never execute. Behind a load balancer each
 * step may reach another node. Steps 2 and 3 are therefore one answer where the node describes itself in its headers,
 * and P is looked up there again. A node that lags or has pruned does not count. Three such rounds in a row cover what
 * a node does between the parts of an answer, such as deleting history before it says so.
 */
export class Rounds {
  readonly #signedAt: bigint | null;
  readonly #needed: number;
  #impossible = 0;
  #unknown = 0;
  /** Height of a node that had the missing object and has executed its deletion. */
  #goneAt: bigint | undefined;
  /** Stays `true` once a node has shown the execution, whatever other nodes report later. */
  executed = false;

  /**
   * @param signedAt a checkpoint that was there before the transaction was signed; null: not recorded
   * @param needed rounds in a row that must say the same
   */
  constructor(signedAt: bigint | null, needed = roundsNeeded) {
    this.#signedAt = signedAt;
    this.#needed = needed;
  }

  add({ objects, lookups }: Round): Conclusion {
    if (objects.kind === 'ours' || lookups.some(({ kind }) => kind === 'found')) this.executed = true;
    const over = this.#isOver(objects);
    const impossible = over && !this.executed && lookups.some((lookup) => this.#excludes(lookup, objects));
    const unknown =
      over && !impossible && lookups.length > 0 && lookups.every((lookup) => this.cannotKnow(lookup));
    this.#impossible = impossible ? this.#impossible + 1 : 0;
    this.#unknown = unknown ? this.#unknown + 1 : 0;
    if (this.#impossible >= this.#needed) return 'impossible';
    return this.#unknown >= this.#needed ? 'unknown' : 'undecided';
  }

  /**
   * Returns `true` if an object has moved on from the version that the transaction names, so that sending it again is
   * useless.
   */
  #isOver(objects: ObjectsSeen): boolean {
    if (objects.kind !== 'gone') return objects.kind === 'ours' || objects.kind === 'moved';
    // A node that lags behind the signature may not have the object yet.
    if (this.#signedAt !== null && objects.height < this.#signedAt + checkpointsBehindMax) return false;
    this.#goneAt ??= objects.height;
    return true;
  }

  /** Returns `true` if the node would show the transaction if it had executed. */
  #excludes(lookup: LookupSeen, objects: ObjectsSeen): boolean {
    if (lookup.kind !== 'notFound' || this.#signedAt === null || lookup.lowest > this.#signedAt) return false;
    if (objects.kind === 'moved') return lookup.moverAt !== null && lookup.moverAt <= lookup.height;
    return this.#goneAt !== undefined && lookup.height >= this.#goneAt + checkpointsBehindMax;
  }

  /** Returns `true` if the node may have executed the transaction and pruned it since. */
  cannotKnow(lookup: LookupSeen): boolean {
    return lookup.kind === 'notFound' && (this.#signedAt === null || lookup.lowest > this.#signedAt);
  }
}
