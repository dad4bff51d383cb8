import { bcs } from '@mysten/sui/bcs';
import { expect, test } from 'vitest';
import type { Ledger } from '../../ledger/ledger.ts';
import { ChainView } from './chain-view.ts';

const view = new ChainView({ getObject: () => undefined } as unknown as Ledger);
/** Renders as 0.8 MiB of base64. */
const value = bcs
  .byteVector()
  .serialize(new Uint8Array(600 * 1024))
  .toBytes();

test('one answer holds no more than 16 MiB of JSON, and the next one begins again', () => {
  const answer = view.answer();
  const rendered = Array.from({ length: 30 }, () => answer.json('vector<u8>', value) !== undefined);
  expect(rendered.lastIndexOf(true)).toBe(19);
  expect(rendered.indexOf(false)).toBe(20);
  expect(answer.json('u64', bcs.u64().serialize(1).toBytes())).toBeDefined();
  expect(view.answer().json('vector<u8>', value)).toBeDefined();
});

test('a value of more than 1 MiB has no JSON, and takes nothing from the others', () => {
  const answer = view.answer();
  const large = bcs
    .byteVector()
    .serialize(new Uint8Array(1024 * 1024))
    .toBytes();
  expect(answer.json('vector<u8>', large)).toBeUndefined();
  expect(answer.json('vector<u8>', value)).toBeDefined();
});
