import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { bcs } from '@mysten/sui/bcs';
import { GrpcStatusCode, type GrpcTypes } from '@mysten/sui/grpc';
import type { RpcMetadata, UnaryCall } from '@protobuf-ts/runtime-rpc';
import type { LookupSeen, ObjectsSeen } from './verdict.ts';

/** What the transaction is called, and the versions at which it names objects. */
export interface Named {
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

/** The newest checkpoint of the node. */
export async function newestCheckpoint(client: ChainClient, signal: AbortSignal): Promise<bigint> {
  const { checkpointHeight } = await client.ledgerService.getServiceInfo({}, callOptions(callMs, signal))
    .response;
  if (checkpointHeight === undefined) throw new Error('the node does not say which checkpoint is its newest');
  return checkpointHeight;
}

/** Reads the objects that a transaction names, as they are. Never rejects. */
export async function seeObjects(
  client: ChainClient,
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
    const at = await positionOf(client, call, signal);
    return at ? { kind: 'gone', height: at.height } : { kind: 'failed' };
  } catch {
    return { kind: 'failed' };
  }
}

/**
 * Looks the transaction up on a node: after `mover`, which moved an object on, so that a node which shows the one and
 * not the other had executed the first at the time of the second lookup. Never rejects.
 */
export async function seeTransaction(
  client: ChainClient,
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
    const at = await positionOf(client, call, signal);
    const moverAt = mover === undefined ? null : checkpointOf(transactions[0], mover);
    return at ? { kind: 'notFound', ...at, moverAt } : { kind: 'failed' };
  } catch {
    return { kind: 'failed' };
  }
}

function checkpointOf(answer: GrpcTypes.GetTransactionResult | undefined, digest: string): bigint | null {
  if (answer?.result.oneofKind !== 'transaction') return null;
  const { transaction } = answer.result;
  return transaction.digest === digest ? (transaction.checkpoint ?? null) : null;
}

/** From which checkpoint to which a node has the ledger. */
interface Position {
  lowest: bigint;
  height: bigint;
}

/**
 * What the answering node says of itself: in the answer's own headers, since the next call may reach another node; by
 * a call of its own where there are none.
 */
async function positionOf(
  client: ChainClient,
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
