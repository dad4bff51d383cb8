import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag } from '@mysten/sui/utils';
import { LRUCache } from 'lru-cache';
import { ask } from '../../../lib/chain/answers.ts';
import { callOptions } from '../../../lib/chain/client.ts';
import { foundOf, type ToolsClient, timeoutMs } from './client.ts';

/** An object as a transaction takes it in. */
export type KnownObject = { objectId: string; type: string } & (
  | { kind: 'shared'; initialSharedVersion: string }
  | { kind: 'owned'; version: string; digest: string }
);

export interface ObjectReader {
  /**
   * The objects by id; those that do not exist are absent.
   * @throws ProblemError 502 or 504
   */
  read(ids: Iterable<string>): Promise<Map<string, KnownObject>>;
}

const keptMax = 5_000;
const { Owner_OwnerKind: OwnerKind } = GrpcTypes;
const readMask = { paths: ['object_id', 'version', 'digest', 'owner', 'object_type'] };

/** What a transaction needs of a shared or immutable object never changes; owned ones are read anew each time. */
export function objectReader(client: ToolsClient): ObjectReader {
  const kept = new LRUCache<string, KnownObject>({ max: keptMax });
  return {
    async read(ids) {
      const found = new Map<string, KnownObject>();
      const unknown: string[] = [];
      for (const id of new Set(ids)) {
        const known = kept.get(id);
        if (known) found.set(id, known);
        else unknown.push(id);
      }
      if (unknown.length === 0) return found;
      const requests = unknown.map((objectId) => ({ objectId }));
      const call = client.ledgerService.batchGetObjects({ requests, readMask }, callOptions(timeoutMs));
      for (const { result } of foundOf(await ask(call))?.objects ?? []) {
        if (result.oneofKind !== 'object') continue;
        const object = toKnown(result.object);
        if (!object) continue;
        found.set(object.objectId, object);
        if (object.kind === 'shared' || result.object.owner?.kind === OwnerKind.IMMUTABLE) {
          kept.set(object.objectId, object);
        }
      }
      return found;
    },
  };
}

function toKnown(object: GrpcTypes.Object): KnownObject | undefined {
  const { objectId, version, digest, owner, objectType } = object;
  if (!objectId || version === undefined || !digest || !objectType?.includes('::')) return undefined;
  const type = normalizeStructTag(objectType);
  if (owner?.kind === OwnerKind.SHARED) {
    return { objectId, type, kind: 'shared', initialSharedVersion: String(owner.version ?? 0n) };
  }
  if (owner?.kind === OwnerKind.ADDRESS || owner?.kind === OwnerKind.IMMUTABLE) {
    return { objectId, type, kind: 'owned', version: String(version), digest };
  }
  return undefined;
}
