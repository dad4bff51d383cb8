import type { GrpcTypes } from '@mysten/sui/grpc';
import { type Answer, ask, isLate } from './answers.ts';
import { callOptions } from './call-options.ts';
import { type InputObject, inputPaths, toInputObject } from './objects.ts';

/** The part of a `SuiGrpcClient` that lists the objects of an address. */
export interface OwnedObjectReader {
  stateService: {
    listOwnedObjects(
      request: GrpcTypes.ListOwnedObjectsRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.ListOwnedObjectsResponse }>;
  };
}

/** The owner and type to list, and the bounds of the list. */
export interface OwnedObjectsQuery {
  owner: string;
  /** Type without parameters, with the package's defining id. */
  type: string;
  pagesMax: number;
  /** Deadline for all pages together. */
  timeoutMs: number;
}

interface OwnedObject {
  /** BCS. */
  contents: Uint8Array;
  /** The object as an input of a transaction; undefined if it cannot be one. */
  known: InputObject | undefined;
}

/** Objects of one owner and type, complete unless `truncated`. */
export interface OwnedObjects {
  /** In the node's order. */
  objects: OwnedObject[];
  /** True if the address owns more objects than the bounds allowed to read. */
  truncated: boolean;
}

const pageSize = 200;

/**
 * Lists the objects of one type that an address owns now, within the bounds on pages and time: a stranger can send
 * anyone any number. Fails only if the node does, or if the time ends before the first page.
 */
export async function listOwnedObjects(
  client: OwnedObjectReader,
  { owner, type, pagesMax, timeoutMs }: OwnedObjectsQuery,
): Promise<Answer<OwnedObjects>> {
  const deadline = performance.now() + timeoutMs;
  const objects: OwnedObject[] = [];
  const readMask = { paths: ['contents', ...inputPaths] };
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
      if (contents) objects.push({ contents, known: toInputObject(object) });
    }
    pageToken = answer.value.nextPageToken;
    if (!pageToken?.length) return { status: 'found', value: { objects, truncated: false } };
  }
  return { status: 'found', value: { objects, truncated: true } };
}
