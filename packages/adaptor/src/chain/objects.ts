import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import { normalizeStructTag } from '@mysten/sui/utils';
import { LRUCache } from 'lru-cache';
import { ask } from './answers.ts';
import { callOptions } from './call-options.ts';
import { unwrapAnswer } from './found.ts';

/** An object with the fields that a transaction needs to take it as an input. */
export type InputObject = { objectId: string; type: string } & (
  | { kind: 'shared'; initialSharedVersion: string }
  | { kind: 'immutable' | 'owned'; version: string; digest: string }
);

/** A reader of objects in the form of transaction inputs. */
export interface ObjectReader {
  /**
   * Reads objects by id. Objects that do not exist are missing from the map.
   * @throws NodeUnavailableError if the node could not answer
   */
  read(ids: Iterable<string>): Promise<Map<string, InputObject>>;
}

const timeoutMs = 5_000;
const cachedMax = 5_000;
const { Owner_OwnerKind: OwnerKind } = GrpcTypes;
/** Read mask with the fields that `knownObject` needs. */
export const knownPaths = ['object_id', 'version', 'digest', 'owner', 'object_type'];
const readMask = { paths: knownPaths };

/**
 * Caches shared and immutable objects without expiry, since their transaction inputs never change. Owned objects are
 * read each time.
 */
export function objectReader(client: Pick<SuiGrpcClient, 'ledgerService'>): ObjectReader {
  const cache = new LRUCache<string, InputObject>({ max: cachedMax });
  return {
    async read(ids) {
      const found = new Map<string, InputObject>();
      const unknown: string[] = [];
      for (const id of new Set(ids)) {
        const known = cache.get(id);
        if (known) found.set(id, known);
        else unknown.push(id);
      }
      if (unknown.length === 0) return found;
      const requests = unknown.map((objectId) => ({ objectId }));
      const call = client.ledgerService.batchGetObjects({ requests, readMask }, callOptions(timeoutMs));
      for (const { result } of unwrapAnswer(await ask(call))?.objects ?? []) {
        if (result.oneofKind !== 'object') continue;
        const object = knownObject(result.object);
        if (!object) continue;
        found.set(object.objectId, object);
        if (object.kind !== 'owned') cache.set(object.objectId, object);
      }
      return found;
    },
  };
}

/**
 * Converts an object of the node's API. Returns undefined if a field is missing, or if no transaction can take the
 * object as an input.
 */
export function knownObject(object: GrpcTypes.Object): InputObject | undefined {
  const { objectId, version, digest, owner, objectType } = object;
  if (!objectId || version === undefined || !digest || !objectType?.includes('::')) return undefined;
  const type = normalizeStructTag(objectType);
  if (owner?.kind === OwnerKind.SHARED) {
    return { objectId, type, kind: 'shared', initialSharedVersion: String(owner.version ?? 0n) };
  }
  const reference = { objectId, type, version: String(version), digest };
  if (owner?.kind === OwnerKind.IMMUTABLE) return { ...reference, kind: 'immutable' };
  // A party object has an owner too, though consensus orders its use.
  return owner?.kind === OwnerKind.ADDRESS ? { ...reference, kind: 'owned' } : undefined;
}
