import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isExecutable, listOpSteps, opFault, opSchema } from './op.ts';

const call = {
  typeArgs: ['coinIn', '0x2::sui::SUI'],
  args: [
    { role: 'wallet' },
    { role: 'object', objectId: '0xb', mutable: true },
    { role: 'amount' },
    { role: 'pure', type: 'u64', value: '7', name: 'asset' },
    { role: 'pure', type: '0x1::option::Option<u64>', value: null },
    { role: 'pure', type: 'vector<u8>' },
  ],
};
const op = { kind: 'pay', module: 'market', entry: 'buy', call };
const arg = (argument: unknown) => ({ ...op, call: { ...call, args: [{ role: 'wallet' }, argument] } });

test('an op of the right shape is executable, with keys that it does not know', () => {
  expect(opFault({ ...op, label: 'Buy', intentMode: 'A', added: { more: 1 } })).toBeUndefined();
});

test.each([
  ['no kind', { kind: undefined }, 'invalid_op', 'kind: missing.'],
  ['an unknown kind', { kind: 'burn' }, 'invalid_op', /^kind: Invalid option/],
  [
    'an entry that is not an identifier',
    { entry: 'b()' },
    'invalid_op',
    'entry: expected a Move identifier.',
  ],
  ['a label without end', { label: 'x'.repeat(129) }, 'invalid_op', /^label: Too big/],
  ['no call', { call: undefined }, 'no_call', 'The op has no call.'],
  ['a call that is none', { call: null }, 'invalid_call', /^call: Invalid input/],
  ['no arguments', { call: { typeArgs: [] } }, 'invalid_call', 'call.args: missing.'],
  [
    'too many type arguments',
    { call: { ...call, typeArgs: Array(17).fill('u8') } },
    'invalid_call',
    'call.typeArgs: more than 16 items.',
  ],
  [
    'too many arguments',
    { call: { ...call, args: Array(129).fill(0) } },
    'invalid_call',
    'call.args: more than 128 items.',
  ],
  [
    'a type name that needs a name service',
    { call: { ...call, typeArgs: ['@org/app::m::T'] } },
    'invalid_call',
    /^call.typeArgs.0: /,
  ],
])('%s makes an op not executable, with the reason', (_, change, code, detail) => {
  const given: Record<string, unknown> = { ...op, ...change };
  const expected = typeof detail === 'string' ? detail : expect.stringMatching(detail);
  expect(opFault(given)).toEqual({ code, detail: expected });
});

test.each([
  ['a role that is none', { role: 'owner' }, /^call.args.1.role: /],
  ['an object without its id', { role: 'object' }, /^call.args.1.objectId: missing/],
  ['a pure type that is none', { role: 'pure', type: '0x2::coin::Coin<u8>' }, /^call.args.1: type is not/],
  ['a fixed value of another type', { role: 'pure', type: 'u8', value: 256 }, /^call.args.1: value is not/],
  [
    'a text that is not ASCII',
    { role: 'pure', type: '0x1::ascii::String', value: 'né' },
    /^call.args.1: value is not/,
  ],
  [
    'a number that JSON has rounded',
    { role: 'pure', type: 'u64', value: JSON.parse('9007199254740993') },
    /^call.args.1: value is not/,
  ],
  ['a list in place of a number', { role: 'pure', type: 'u64', value: [] }, /^call.args.1: value is not/],
  ['a fraction', { role: 'pure', type: 'u8', value: 5.7 }, /^call.args.1: value is not/],
  ['no argument', null, /^call.args.1: Invalid input/],
])('%s makes a call not fit', (_, argument, detail) => {
  expect(opFault(arg(argument))).toEqual({ code: 'invalid_call', detail: expect.stringMatching(detail) });
});

const begin = { module: 'market', entry: 'buy', typeArgs: [], args: [{ role: 'wallet' }] };
const venue = {
  packageId: '0x9',
  module: 'pool',
  entry: 'swap',
  typeArgs: [],
  args: [{ role: 'result', call: 0 }],
};
const several = (...calls: unknown[]) => ({ kind: 'swap', module: 'market', entry: 'buy', calls });

test('an op of several calls is executable, and its calls are read alike with those of one', () => {
  expect(opFault(several(begin, venue))).toBeUndefined();
  expect(listOpSteps(several(begin, venue) as never)).toEqual([begin, venue]);
  const { module, entry } = op;
  // Additional keys of a stranger beside a call do not change the called function.
  const odd = { ...op, call: { ...call, packageId: '0x9', module: 'other' } };
  expect(listOpSteps(odd as never)).toEqual([{ module, entry, ...call }]);
});

test.each([
  ['of one', [begin], 'calls: expected 2 to 8 calls.'],
  ['of too many', Array(9).fill(begin), 'calls: expected 2 to 8 calls.'],
  ['none of which is the op', [venue, venue].map((one) => ({ ...one, args: [] })), /none is the op's own/],
  ['of which the op is in another package', [{ ...begin, packageId: '0x9' }, venue], /none is the op's own/],
  [
    'with a result of a later call',
    [begin, { ...venue, args: [{ role: 'result', call: 1 }] }],
    /^calls.1.args.0: call is not an earlier call/,
  ],
  [
    'with a result before any call',
    [{ ...begin, args: [{ role: 'result', call: 0 }] }, venue],
    /^calls.0.args.0: /,
  ],
  ['with a role that is none', [begin, { ...venue, args: [{ role: 'coin' }] }], /^calls.1.args.0.role: /],
  ['without a function', [begin, { ...venue, entry: undefined }], 'calls.1.entry: missing.'],
  [
    'with a value of another type',
    [{ ...begin, args: [{ role: 'pure', type: 'u8', value: 256 }] }, venue],
    /^calls.0.args.0: value is not/,
  ],
])('calls %s are refused with the reason', (_, calls, detail) => {
  const expected = typeof detail === 'string' ? detail : expect.stringMatching(detail);
  expect(opFault(several(...(calls as unknown[])))).toEqual({ code: 'invalid_call', detail: expected });
});

test('an op has one call or several, not both, and one call gets no results', () => {
  expect(opFault({ ...several(begin, venue), call })).toMatchObject({ code: 'invalid_call' });
  expect(opFault({ ...op, calls: 'many' })).toMatchObject({ code: 'invalid_call' });
  expect(opFault({ ...op, call: undefined, calls: 'many' })).toMatchObject({
    detail: 'calls: expected a list.',
  });
  expect(opFault(arg({ role: 'result', call: 0 }))).toMatchObject({
    detail: expect.stringMatching(/^call.args.1/),
  });
});

test('the reason is short and repeats nothing of the manifest, however hostile that is', () => {
  const marked = fc.anything({ withNullPrototype: false }).map((value) => ({ marker: 'm4rk3r', value }));
  const hostile = fc.record(
    { kind: marked, module: marked, entry: marked, call: marked, args: fc.array(marked, { maxLength: 300 }) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(hostile, fc.subarray(['kind', 'module', 'entry']), ({ args = [], ...drawn }, kept) => {
      const sound = Object.fromEntries(kept.map((key) => [key, op[key as 'kind']]));
      const given = {
        ...drawn,
        ...sound,
        ...(drawn.call && { call: { typeArgs: [], args, ...drawn.call } }),
      };
      const fault = opFault(given);
      expect(fault?.detail.length ?? 0).toBeLessThan(200);
      expect(fault?.detail ?? '').not.toContain('m4rk3r');
    }),
  );
});

test('only what the strict shape takes is executable', () => {
  const anyCall = fc.record({
    typeArgs: fc.array(fc.constantFrom('coinIn', 'u8', 'x', 7), { maxLength: 3 }),
    args: fc.array(
      fc.constantFrom<unknown>({ role: 'wallet' }, { role: 'object', objectId: '0x1' }, { role: 'pure' }, 3, {
        role: 'pure',
        type: 'bool',
        value: true,
      }),
      { maxLength: 4 },
    ),
  });
  const anyOp = fc.record(
    {
      kind: fc.constantFrom('pay', 'burn'),
      module: fc.constantFrom('m', '9'),
      entry: fc.constantFrom('e', 'e::f'),
      label: fc.constantFrom('l', ''),
      call: anyCall,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(anyOp, (given) => {
      const strict = opSchema.safeParse(given).success && given.call !== undefined;
      expect(isExecutable(given)).toBe(strict);
    }),
  );
});
