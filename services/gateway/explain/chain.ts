import { canonicalType, normalizeAddress } from '@adaptor-marketplace/adaptor';
import {
  findPublishers,
  type Publishers,
  readObjects,
  unwrapAnswer,
} from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { FunctionFact, ObjectFact, UpgradeRight } from '@adaptor-marketplace/adaptor/explain';
import { isSystemPackage } from '@adaptor-marketplace/adaptor/introspect';
import { GrpcTypes } from '@mysten/sui/grpc';
import { LRUCache } from 'lru-cache';

const timeoutMs = 5_000;
const { Owner_OwnerKind: OwnerKind } = GrpcTypes;

/** Reads the objects of a transaction in few calls. Those that the node does not have are missing. */
export async function readObjectFacts(
  client: ChainClient,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, ObjectFact>> {
  const paths = ['object_id', 'object_type', 'owner', 'balance', 'version', 'digest'];
  const objects = unwrapAnswer(await readObjects(client, ids, { paths, timeoutMs, signal })) ?? [];
  return new Map(objects.flatMap((object) => toObjectFact(object) ?? []).map((fact) => [fact.id, fact]));
}

function toObjectFact({
  objectId,
  objectType,
  owner,
  balance,
  version,
  digest,
}: GrpcTypes.Object): ObjectFact | undefined {
  const id = normalizeAddress(objectId ?? '');
  const type = canonicalType(objectType ?? '');
  if (id === undefined || type === undefined) return undefined;
  const fact = { id, type, balance, version: version?.toString(), digest };
  const address = normalizeAddress(owner?.address ?? '');
  if (owner?.kind === OwnerKind.SHARED) {
    return { ...fact, owner: { kind: 'shared', initialVersion: owner.version?.toString() } };
  }
  if (owner?.kind === OwnerKind.IMMUTABLE) return { ...fact, owner: { kind: 'immutable' } };
  if (address === undefined) return undefined;
  if (owner?.kind === OwnerKind.OBJECT) return { ...fact, owner: { kind: 'object', id: address } };
  return { ...fact, owner: { kind: 'address', address } };
}

/** Packages whose rights to upgrade are read for one request. */
const packagesMax = 16;
/** Lifetime of a cached holder of an upgrade capability, which can change hands. */
const holderCachedMs = 5 * 60_000;

/** Reads who may upgrade the packages of functions. */
export type UpgradeReader = (
  functions: ReadonlyMap<string, FunctionFact>,
  signal: AbortSignal,
) => Promise<Map<string, UpgradeRight>>;

/** Opens the reader of one network, with a cache. */
export function openUpgradeReader(client: ChainClient): UpgradeReader {
  const cache = new LRUCache<string, UpgradeRight>({ max: 5_000, ttl: holderCachedMs });

  async function read(id: string, signal: AbortSignal): Promise<UpgradeRight> {
    const known = cache.get(id);
    if (known) return known;
    const { upgradeCapOwner } = await findPublishers(client.within(timeoutMs, signal), id);
    const right = toUpgradeRight(upgradeCapOwner);
    if (right.kind !== 'unread') cache.set(id, right);
    return right;
  }

  return async (functions, signal) => {
    const ids = [...functions.values()]
      .flatMap((fact) =>
        'certificate' in fact ? [fact.certificate.package, ...fact.certificate.closure] : [],
      )
      .filter(({ originalId }) => !isSystemPackage(originalId))
      .map(({ id }) => id);
    const rights = [...new Set(ids)]
      .slice(0, packagesMax)
      .map(async (id) => [id, await read(id, signal)] as const);
    return new Map(await Promise.all(rights));
  };
}

function toUpgradeRight(owner: Publishers['upgradeCapOwner']): UpgradeRight {
  if (owner.status === 'known') return { kind: 'address', address: owner.address };
  return { kind: owner.status === 'none' ? 'none' : 'unread', reason: owner.reason };
}
