import { expect, test } from 'vitest';
import type { Inference } from '../infer/inference.ts';
import type { IntrospectedOp } from '../introspect/types.ts';
import { callSpec } from '../manifest/call-spec.ts';
import { draftCall as draftFrom } from './call.ts';
import type { NamedObject } from './objects.ts';
import { collectProvidedValues, requiredValues } from './required-values.ts';
import { address, callers, op, param, past, poolType, sui, usd } from './testing/ops.ts';

const draftCall = (of: IntrospectedOp, calls: Inference | undefined, objects: NamedObject[]) =>
  draftFrom(of, calls, { objects, values: requiredValues(of) });

const pool = address('900');
const other = address('901');
const shared = (objectId: string, type: string) => ({ objectId, type, isImmutable: false });
const suiUsd = `${poolType}<${sui}, ${usd}>`;
const swap = op();
const swapped = past(swap, { objects: { 1: [{ id: pool, type: suiUsd }] }, types: [[sui], [usd]] });

test('coins and amounts are the caller’s, the pool is the one of all past calls, the context nobody’s', () => {
  const { call, missing, mined } = draftCall(swap, swapped, []);
  expect(callSpec.parse(call)).toEqual({
    typeArgs: ['coinIn', 'coinOut'],
    args: [
      { role: 'wallet' },
      { role: 'object', objectId: pool, mutable: true },
      { role: 'amount' },
      { role: 'minOut' },
      { role: 'clock' },
    ],
  });
  expect({ missing, mined }).toEqual({ missing: [], mined: [pool] });
});

test('what the publisher names stands before what strangers used, and needs no past call', () => {
  const named = [shared(other, suiUsd), shared(address('902'), `${address('d')}::x::Y`)];
  const { call, mined, typeArgs } = draftCall(swap, swapped, named);
  expect(call?.args[1]).toEqual({ role: 'object', objectId: other, mutable: true });
  expect(mined).toEqual([]);
  expect(draftCall(swap, undefined, named).call).toEqual(call);
  expect(typeArgs).toEqual([sui, usd]);
});

test.each([
  [
    'past calls that differ',
    past(swap, { objects: { 1: [{ id: pool }, { id: other }] } }),
    [],
    `name one: ${pool}, ${other}`,
  ],
  ['no past call', undefined, [], 'no past call shows which'],
  [
    'objects of which two fit',
    swapped,
    [pool, other].map((objectId) => shared(objectId, suiUsd)),
    '2 of the named objects are a',
  ],
])('%s leave the call out, and it is said why', (_, calls, named, reason) => {
  const { call, missing } = draftCall(swap, calls, named);
  expect(call).toBeUndefined();
  expect(missing).toEqual([expect.stringContaining(reason)]);
});

test('an object with one address on every network needs no past call', () => {
  const system = param('object', {
    type: `${address('3')}::sui_system::SuiSystemState`,
    objectId: address('5'),
  });
  const stake = op({ params: [param('wallet'), system, param('amount')], typeParams: [] });
  expect(draftCall(stake, undefined, []).call?.args[1]).toMatchObject({
    role: 'object',
    objectId: address('5'),
  });
});

test('a type that is not a coin of the call is fixed by the object, else by past calls that agree', () => {
  const reward = op({ typeParams: [{ constraints: [] }, { constraints: [], role: 'coinIn' }] });
  const types = (list: string[][]) => past(reward, { objects: { 1: [{ id: pool }] }, types: list });
  expect(draftCall(reward, types([[sui], [usd]]), []).call?.typeArgs).toEqual([sui, 'coinIn']);
  const { call, missing } = draftCall(reward, types([[sui, usd], [usd]]), []);
  expect({ call, missing }).toEqual({
    call: undefined,
    missing: [expect.stringContaining('type parameter T0')],
  });
  const named = [shared(pool, suiUsd)];
  expect(draftCall(reward, types([[sui, usd], [usd]]), named).call?.typeArgs).toEqual([sui, 'coinIn']);
});

test('an immutable object is for a function that does not change it', () => {
  const frozen = [{ ...shared(other, suiUsd), isImmutable: true }];
  expect(draftCall(swap, swapped, frozen)).toMatchObject({
    missing: [expect.stringContaining(`${other} is immutable, and the function changes it; name a shared`)],
  });
  expect(draftCall(swap, undefined, [...frozen, shared(pool, suiUsd)]).call?.args[1]).toMatchObject({
    objectId: pool,
  });
  const reads = op({ params: [param('wallet'), param('object', { reference: 'immutable' })] });
  expect(draftCall(reads, undefined, frozen).call?.args[1]).toMatchObject({ objectId: other });
});

test('values stay open under names of their own, with what was used last as an example', () => {
  const open = op({
    params: [
      param('wallet'),
      param('pure', { name: 'lower' }),
      param('pure'),
      param('pure', { type: 'vector<u8>' }),
      param('amount', { coin: 'T0' }),
      param('amount', { coin: 'T1' }),
      param('minOut', { type: 'u128' }),
    ],
  });
  const { call } = draftCall(open, past(open, { values: { 1: ['443', '444'], 3: ['aGk='] } }), []);
  expect(callSpec.parse(call).args).toEqual([
    { role: 'wallet' },
    { role: 'pure', type: 'u32', name: 'lower', example: '443' },
    { role: 'pure', type: 'u32', name: 'value1' },
    { role: 'pure', type: 'vector<u8>', name: 'value2' },
    { role: 'pure', type: 'u64', name: 'amount1' },
    { role: 'pure', type: 'u64', name: 'amount2' },
    { role: 'pure', type: 'u128', name: 'minOut' },
  ]);
});

test('a value that the publisher fixes is asked of nobody, where it is of the argument’s type', () => {
  const of = op({ params: [param('wallet'), param('pure', { type: 'u64' })], typeParams: [] });
  const fixed = (value: unknown) => {
    const values = requiredValues(of).map((one) => ({ ...one, name: 'asset', fixed: value }));
    return draftFrom(of, undefined, { objects: [], values });
  };
  expect(fixed('7').call?.args[1]).toEqual({ role: 'pure', type: 'u64', name: 'asset', value: '7' });
  expect(fixed('seven')).toMatchObject({ missing: ['asset: the value is not a valid u64'] });
});

test('a value that past calls agree on is fixed, with whose calls these are, unless the publisher names it', () => {
  const of = op({
    params: [param('wallet'), param('pure', { name: 'leverage' }), param('pure')],
    typeParams: [],
  });
  const calls = past(of, { values: { 1: ['3'], 2: ['5', '6'] }, agreed: { 1: '3' } });
  const { call, inferred } = draftCall(of, calls, []);
  expect(callSpec.parse(call).args.slice(1)).toEqual([
    { role: 'pure', type: 'u32', name: 'leverage', value: '3' },
    { role: 'pure', type: 'u32', name: 'value', example: '5' },
  ]);
  expect(inferred).toEqual([{ name: 'leverage', value: '3', from: callers }]);
  const provided = collectProvidedValues([of], { 'dex::swap': ['leverage', { name: 'mode', value: 1 }] }).get(
    of.fqn,
  )!;
  const said = draftFrom(of, calls, { objects: [], values: provided });
  expect(said.call?.args.slice(1)).toEqual([
    { role: 'pure', type: 'u32', name: 'leverage', example: '3' },
    { role: 'pure', type: 'u32', name: 'mode', value: 1 },
  ]);
  expect(said.inferred).toEqual([]);
});

test('a value of another type than the drafted one, or of none that the type has, stays open', () => {
  const of = op({ params: [param('wallet'), param('pure', { type: 'u8' })], typeParams: [] });
  const { call, inferred } = draftCall(of, past(of, { values: { 1: ['3'] }, agreed: { 1: '3' } }), []);
  expect([call?.args[1], inferred]).toEqual([{ role: 'pure', type: 'u8', name: 'value', example: '3' }, []]);
  const flag = op({ params: [param('wallet'), param('pure')], typeParams: [] });
  const odd = past(flag, { values: { 1: ['x'] }, agreed: { 1: 'x' } });
  expect(draftCall(flag, odd, []).call?.args[1]).not.toHaveProperty('value');
});
