import { RpcError } from '@protobuf-ts/runtime-rpc';
import { expect, test } from 'vitest';
import { listOwnedObjects } from './owned-objects.ts';

/** A node with pages of one object each. For a page that is an error, it fails with that error. */
function node(pages: (number | RpcError)[]) {
  const asked: { pageToken?: Uint8Array; timeout?: number | Date | undefined }[] = [];
  const client = {
    stateService: {
      async listOwnedObjects(
        { pageToken }: { pageToken?: Uint8Array },
        options?: { timeout?: number | Date },
      ) {
        asked.push({ ...(pageToken && { pageToken }), timeout: options?.timeout });
        const at = pageToken?.[0] ?? 0;
        const page = pages[at]!;
        if (typeof page !== 'number') throw page;
        const objects = [{ contents: { value: Uint8Array.of(page) } }];
        const nextPageToken = at + 1 < pages.length ? Uint8Array.of(at + 1) : undefined;
        return { response: { objects, ...(nextPageToken && { nextPageToken }) } };
      },
    },
  };
  const list = (pagesMax: number) =>
    listOwnedObjects(client, { owner: '0x1', type: '0x2::a::A', pagesMax, timeoutMs: 60_000 });
  return { list, asked };
}

const found = (contents: number[], truncated: boolean) => ({
  status: 'found',
  value: { objects: contents.map((byte) => ({ contents: Uint8Array.of(byte) })), truncated },
});

test('every page is read, the next by the token of the one before', async () => {
  const { list, asked } = node([7, 8, 9]);
  expect(await list(5)).toEqual(found([7, 8, 9], false));
  expect(asked.map(({ pageToken }) => pageToken?.[0])).toEqual([undefined, 1, 2]);
  for (const { timeout } of asked) expect(timeout).toBeLessThanOrEqual(60_000);
});

test('pages beyond the bound are not asked for, and the answer says that there are more', async () => {
  const { list, asked } = node([7, 8, 9]);
  expect(await list(2)).toEqual(found([7, 8], true));
  expect(asked).toHaveLength(2);
});

test('a node that becomes slow is left with what it gave, if it gave anything', async () => {
  const late = new RpcError('too slow', 'DEADLINE_EXCEEDED');
  expect(await node([7, late]).list(5)).toEqual(found([7], true));
  expect(await node([late]).list(5)).toMatchObject({ status: 'unavailable' });
});

test('a node that fails halfway has not answered', async () => {
  const { list } = node([7, new RpcError('gone', 'UNAVAILABLE')]);
  expect(await list(5)).toMatchObject({ status: 'unavailable', reason: 'UNAVAILABLE: gone' });
});
