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
    let gone = false;
    for (const [place, { result }] of objects.entries()) {
      const one = compareObject(result, ids[place]!, { digest, versions });
      if (one.kind === 'failed' || one.kind === 'ours') return one;
      if (one.kind === 'moved') seen = one;
      if (one.kind === 'absent') gone = true;
    }
    if (seen.kind === 'moved' || !gone) return seen;
    const at = await readPosition(client, call, signal);
    return at ? { kind: 'gone', height: at.height } : { kind: 'failed' };
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
  const isIt = normalizeAddress(objectId) === normalizeAddress(id);
  if (!isIt || version === undefined || by === undefined) return { kind: 'failed' };
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

interface Position {
  lowest: bigint;
  height: bigint;
}

/** Reads the position of the node that answered from its headers, because the next call may reach another node. */
async function readPosition(
  client: Node['client'],
  { headers }: Pick<UnaryCall, 'headers'>,
  signal: AbortSignal,
): Promise<Position | undefined> {
  const given = await headers;
  const lowest = readNumber(given, 'x-sui-lowest-available-checkpoint');
  const height = readNumber(given, 'x-sui-checkpoint-height');
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
