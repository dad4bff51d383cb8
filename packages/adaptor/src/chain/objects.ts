import { GrpcTypes } from '@mysten/sui/grpc';
import { normalizeStructTag } from '@mysten/sui/utils';
import { LRUCache } from 'lru-cache';
import { type Answer, ask } from './answers.ts';
import { callOptions } from './call-options.ts';
import { unwrapAnswer } from './unwrap-answer.ts';

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
/** A shared object can be deleted. Its transaction input never changes before. */
const sharedMs = 60_000;
const { Owner_OwnerKind: OwnerKind } = GrpcTypes;
/** Read mask with the fields that `toInputObject` needs. */
export const inputPaths = ['object_id', 'version', 'digest', 'owner', 'object_type'];

/** The part of a `SuiGrpcClient` that reads objects by their ids. */
export interface ObjectBatchReader {
  ledgerService: {
    batchGetObjects(
      request: GrpcTypes.BatchGetObjectsRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.BatchGetObjectsResponse }>;
  };
}

/** Maximum ids of one request to a node. */
const batchMax = 100;

/** Reads fields of objects by id. Objects that the node does not return are left out. */
export async function readObjects(
  { ledgerService }: ObjectBatchReader,
  ids: readonly string[],
  { paths, timeoutMs, signal }: { paths: string[]; timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<Answer<GrpcTypes.Object[]>> {
  const batches = Array.from({ length: Math.ceil(ids.length / batchMax) }, (_, at) =>
    ids.slice(at * batchMax, (at + 1) * batchMax),
  );
  const answers = await Promise.all(
    batches.map((batch) => {
      const requests = batch.map((objectId) => ({ objectId }));
      const request = { requests, readMask: { paths } };
      return ask(ledgerService.batchGetObjects(request, callOptions(timeoutMs, signal)));
    }),
  );
  const objects: GrpcTypes.Object[] = [];
  for (const answer of answers) {
    if (answer.status !== 'found') return answer;
    for (const { result } of answer.value.objects)
      if (result.oneofKind === 'object') objects.push(result.object);
  }
  return { status: 'found', value: objects };
}

/**
 * Caches immutable objects without expiry, and shared ones for a minute. Owned objects are read each time.
 */
export function createObjectReader(client: ObjectBatchReader): ObjectReader {
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
      const read = await readObjects(client, unknown, { paths: inputPaths, timeoutMs });
      for (const one of unwrapAnswer(read) ?? []) {
        const object = toInputObject(one);
        if (!object) continue;
        found.set(object.objectId, object);
        if (object.kind === 'immutable') cache.set(object.objectId, object);
        if (object.kind === 'shared') cache.set(object.objectId, object, { ttl: sharedMs });
      }
      return found;
    },
  };
}

/**
 * Reads objects in one batch, now. The returned reader serves them from this batch, which parts of a task can share, and
 * passes other ids on.
 */
export function readAhead(reader: ObjectReader, ids: readonly string[]): ObjectReader {
  const batch = reader.read(ids);
  // A part that needs an object gets the error.
  batch.catch(() => undefined);
  const ahead = new Set(ids);
  return {
    async read(requested) {
      const distinct = [...new Set(requested)];
      const rest = distinct.filter((id) => !ahead.has(id));
      const [known, others] = await Promise.all([batch, rest.length > 0 ? reader.read(rest) : undefined]);
      return new Map(
        distinct.flatMap((id) => {
          const object = known.get(id) ?? others?.get(id);
          return object ? [[id, object] as const] : [];
        }),
      );
    },
  };
}

/**
 * Converts an object of the node's API. Returns undefined if a field is missing, or if no transaction can take the
 * object as an input.
 */
export function toInputObject(object: GrpcTypes.Object): InputObject | undefined {
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
