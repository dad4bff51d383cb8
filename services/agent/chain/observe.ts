import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { callOptions } from '@adaptor-marketplace/adaptor/chain';
import { GrpcStatusCode, type GrpcTypes } from '@mysten/sui/grpc';
import type { RpcMetadata, UnaryCall } from '@protobuf-ts/runtime-rpc';
import type { Node } from './node.ts';
import type { LookupSeen, ObjectsSeen } from './rounds.ts';

const callMs = 15_000;

/** Digest of the transaction, and the versions at which it names objects. */
interface NamedVersions {
  digest: string;
  /** Versions of owned objects and gas coins, by their ids. */
  versions: ReadonlyMap<string, bigint>;
}

/** Reads the objects that a transaction names, as they are. Never rejects. */
export async function seeObjects(
  client: Node['client'],
  { digest, versions }: NamedVersions,
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
    let isGone = false;
    for (const [index, { result }] of objects.entries()) {
      const one = compareObject(result, ids[index]!, { digest, versions });
      if (one.kind === 'failed' || one.kind === 'ours') return one;
      if (one.kind === 'moved') seen = one;
      if (one.kind === 'absent') isGone = true;
    }
    if (seen.kind === 'moved' || !isGone) return seen;
    const position = await readPosition(client, call, signal);
    return position ? { kind: 'gone', height: position.height } : { kind: 'failed' };
  } catch {
    return { kind: 'failed' };
  }
}

/** Compares an object, as a node returned it, with the version that the transaction names. */
function compareObject(
  result: GrpcTypes.GetObjectResult['result'],
  id: string,
  { digest, versions }: NamedVersions,
): ObjectsSeen | { kind: 'absent' } {
  if (result.oneofKind === 'error' && result.error.code === GrpcStatusCode.NOT_FOUND)
    return { kind: 'absent' };
  if (result.oneofKind !== 'object') return { kind: 'failed' };
  const { objectId = '', version, previousTransaction: by } = result.object;
  const isSameObject = normalizeAddress(objectId) === normalizeAddress(id);
  if (!isSameObject || version === undefined || by === undefined) return { kind: 'failed' };
  if (by === digest) return { kind: 'ours' };
  return version > versions.get(id)! ? { kind: 'moved', by } : { kind: 'unmoved' };
}

/**
 * Looks the transaction up on a node: after `mover`, which moved an object on, so that a node which shows the one and
 * not the other had executed the first at the time of the second lookup. Never rejects.
 */
export async function seeTransaction(
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
    const result = transactions[digests.length - 1]?.result;
    if (result?.oneofKind === 'transaction' && result.transaction.digest === digest) return { kind: 'found' };
    if (result?.oneofKind !== 'error' || result.error.code !== GrpcStatusCode.NOT_FOUND)
      return { kind: 'failed' };
    const position = await readPosition(client, call, signal);
    const moverAt = mover === undefined ? null : findCheckpoint(transactions[0], mover);
    return position ? { kind: 'notFound', ...position, moverAt } : { kind: 'failed' };
  } catch {
    return { kind: 'failed' };
  }
}

function findCheckpoint(found: GrpcTypes.GetTransactionResult | undefined, digest: string): bigint | null {
  if (found?.result.oneofKind !== 'transaction') return null;
  const { transaction } = found.result;
  return transaction.digest === digest ? (transaction.checkpoint ?? null) : null;
}

interface Position {
  lowest: bigint;
  height: bigint;
}

/** Reads the position of a node from the headers of its response: another call may reach another node. Without them, calls. */
async function readPosition(
  client: Node['client'],
  { headers }: Pick<UnaryCall, 'headers'>,
  signal: AbortSignal,
): Promise<Position | undefined> {
  const received = await headers;
  const lowest = readNumber(received, 'x-sui-lowest-available-checkpoint');
  const height = readNumber(received, 'x-sui-checkpoint-height');
  if (lowest !== undefined && height !== undefined) return { lowest, height };
  const info = await client.ledgerService.getServiceInfo({}, callOptions(callMs, signal)).response;
  const { lowestAvailableCheckpoint, checkpointHeight } = info;
  if (lowestAvailableCheckpoint === undefined || checkpointHeight === undefined) return undefined;
  return { lowest: lowestAvailableCheckpoint, height: checkpointHeight };
}

function readNumber(headers: RpcMetadata, name: string): bigint | undefined {
  const value = headers[name];
  return typeof value === 'string' && /^\d{1,19}$/.test(value) ? BigInt(value) : undefined;
}
