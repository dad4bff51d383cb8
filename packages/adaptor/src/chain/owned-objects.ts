import type { GrpcTypes } from '@mysten/sui/grpc';
import { type Answer, ask, isLate } from './answers.ts';
import { callOptions } from './call-options.ts';
import { type KnownObject, knownObject, knownPaths } from './objects.ts';

/** The part of a `SuiGrpcClient` that lists what an address owns. */
export interface OwnedObjectReader {
  stateService: {
    listOwnedObjects(
      request: GrpcTypes.ListOwnedObjectsRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.ListOwnedObjectsResponse }>;
  };
}

export interface OwnedObjectsQuery {
  owner: string;
  /** Type without parameters, with the package's defining id. */
  type: string;
  pagesMax: number;
  /** Of the whole list. */
  timeoutMs: number;
}

interface OwnedObject {
  /** BCS. */
  contents: Uint8Array;
  /** As a transaction takes it in now. */
  known: KnownObject | undefined;
}

export interface OwnedObjects {
  /** In the node's order. */
  objects: OwnedObject[];
  /** Whether the address owns more than were read within the bounds. */
  truncated: boolean;
}

const pageSize = 200;

/**
 * Lists the objects of one type that an address owns now, as far as pages and time allow: a stranger can send
 * anyone any number. Only where the time ends before the first page, or the node fails, is there no list.
 */
export async function listOwnedObjects(
  client: OwnedObjectReader,
  { owner, type, pagesMax, timeoutMs }: OwnedObjectsQuery,
): Promise<Answer<OwnedObjects>> {
  const deadline = performance.now() + timeoutMs;
  const objects: OwnedObject[] = [];
  const readMask = { paths: ['contents', ...knownPaths] };
  let pageToken: Uint8Array | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const leftMs = Math.ceil(deadline - performance.now());
    if (leftMs <= 0) break;
    const request = { owner, objectType: type, pageSize, readMask, ...(pageToken && { pageToken }) };
    const answer = await ask(client.stateService.listOwnedObjects(request, callOptions(leftMs)));
    if (answer.status !== 'found') {
      if (page > 0 && isLate(answer)) break;
      return answer;
    }
    for (const object of answer.value.objects) {
      const contents = object.contents?.value;
      if (contents) objects.push({ contents, known: knownObject(object) });
    }
    pageToken = answer.value.nextPageToken;
    if (!pageToken?.length) return { status: 'found', value: { objects, truncated: false } };
  }
  return { status: 'found', value: { objects, truncated: true } };
}
