import { GrpcTypes } from '@mysten/sui/grpc';
import { expect, test } from 'vitest';
import type { FunctionSignature, Parameter } from '../chain/functions.ts';
import { callMisfit, type FunctionLookup, opMisfit } from './call-fit.ts';
import type { CallArgument, StepSpec } from './call-spec.ts';
import type { ExecutableOp } from './op.ts';

const { OpenSignatureBody_Type: Kind } = GrpcTypes;
type Body = GrpcTypes.OpenSignatureBody;

const plain = (type: GrpcTypes.OpenSignatureBody_Type): Body => ({ type, typeParameterInstantiation: [] });
const struct = (typeName: string, ...typeParameterInstantiation: Body[]): Body => ({
  type: Kind.DATATYPE,
  typeName,
  typeParameterInstantiation,
});
const vector = (item: Body): Body => ({ type: Kind.VECTOR, typeParameterInstantiation: [item] });
const param = (type: Body, reference: Parameter['reference'] = 'none'): Parameter => ({ reference, type });

const wallet = param(struct('0xa::wallet::Wallet'), 'mutable');
const pool = param(struct('0xb::pool::Pool'), 'mutable');
const clock = param(struct('0x2::clock::Clock'), 'immutable');
const amount = param(plain(Kind.U64));
const generic = param({ ...plain(Kind.TYPE_PARAMETER), typeParameter: 0 });
const signature = (...parameters: Parameter[]): FunctionSignature => ({
  isCallable: true,
  isPublic: true,
  typeParameters: 1,
  parameters,
  returns: [],
});
const pure = (type: string): CallArgument => ({ role: 'pure', type });
const misfit = (argument: CallArgument, parameter: Parameter) =>
  callMisfit({ typeArgs: ['coinIn'], args: [argument] }, signature(parameter));

const swap = signature(wallet, pool, amount, amount, clock);
const call = {
  typeArgs: ['coinIn'],
  args: [
    { role: 'wallet' as const },
    { role: 'object' as const, objectId: '0x9' },
    { role: 'amount' as const },
    { role: 'minOut' as const },
    { role: 'clock' as const },
  ],
};

test('a call with an argument for each parameter fits', () => {
  expect(callMisfit(call, swap)).toBeUndefined();
});

test.each([
  [
    'a function that no transaction can name',
    call,
    { ...swap, isCallable: false },
    /neither public nor entry/,
  ],
  ['other type arguments', { ...call, typeArgs: [] }, swap, /takes 1 type arguments, the call has 0/],
  ['other arguments', { ...call, args: call.args.slice(1) }, swap, /takes 5 arguments, the call has 4/],
  [
    'arguments in another order',
    call,
    signature(pool, wallet, amount, amount, clock),
    /Argument 0 .* role wallet/,
  ],
])('%s: it is said why', (_, given, of, why) => {
  expect(callMisfit(given, of)).toMatch(why);
});

test.each<[CallArgument, Parameter]>([
  [{ role: 'amount' }, param(plain(Kind.U128))],
  [{ role: 'minOut' }, pool],
  [{ role: 'clock' }, param(clock.type, 'mutable')],
  [{ role: 'clock' }, pool],
  [{ role: 'wallet' }, amount],
  [{ role: 'object', objectId: '0x9' }, amount],
  [pure('u64'), param(plain(Kind.U32))],
  [pure('bool'), pool],
  [pure('vector<u8>'), param(vector(plain(Kind.U64)))],
])('%j does not fit %j', (argument, parameter) => {
  expect(misfit(argument, parameter)).toMatch(/^Argument 0 of the function is not for the role/);
});

test.each<[CallArgument, Parameter]>([
  [pure('u32'), param(plain(Kind.U32))],
  [pure('address'), param(struct('0x2::object::ID'))],
  [pure('0x2::object::ID'), param(plain(Kind.ADDRESS))],
  [pure('vector<u8>'), param(struct(`0x${'1'.padStart(64, '0')}::string::String`))],
  [
    pure('0x1::option::Option<0x1::ascii::String>'),
    param(struct('0x1::option::Option', struct('0x1::ascii::String'))),
  ],
  [pure('vector<vector<u8>>'), param(vector(vector(plain(Kind.U8))))],
  [pure('vector<u16>'), param(vector(generic.type))],
  [pure('u16'), generic],
  [{ role: 'wallet' }, generic],
])('%j fits %j, as its bytes do', (argument, parameter) => {
  expect(misfit(argument, parameter)).toBeUndefined();
});

test.each<[type: string, typeName: string, valid: unknown, invalid: unknown]>([
  ['0x1::string::String', '0x1::ascii::String', 'word', 'né'],
  ['vector<u8>', '0x1::string::String', [110, 195, 169], [110, 195]],
])('a fixed %s must also be valid for a parameter of type %s', (type, typeName, valid, invalid) => {
  const parameter = param(struct(typeName));
  expect(misfit({ role: 'pure', type, value: valid }, parameter)).toBeUndefined();
  expect(misfit({ role: 'pure', type, value: invalid }, parameter)).toBe(
    `Argument 0 of the function is a ${typeName}, and the fixed value is not one.`,
  );
});

const coin = (type: Body): Parameter => param(struct('0x2::coin::Coin', type));
const order = param(struct('0xd::relay::Order'));
const own = (entry: string, args: StepSpec['args']): StepSpec => ({
  module: 'relay',
  entry,
  typeArgs: ['coinIn'],
  args,
});
const result = (of: number, index?: number) => ({
  role: 'result' as const,
  call: of,
  ...(index !== undefined && { index }),
});
const op = (...calls: StepSpec[]) =>
  ({ kind: 'swap', module: 'relay', entry: 'begin', calls }) as ExecutableOp;
const returning = (returns: Parameter[], ...parameters: Parameter[]) => ({
  ...signature(...parameters),
  returns,
});
const can = (name: string) => (/::relay::Order$/.test(name) ? { copy: false, drop: false } : undefined);

const began = returning([coin(generic.type), order], wallet);
const traded = returning([coin(struct('0xe::b::B'))], coin(generic.type));
const finished = signature(wallet, order, coin(struct('0xe::b::B')));
const whole = [
  own('begin', [{ role: 'wallet' }]),
  own('trade', [result(0)]),
  own('finish', [{ role: 'wallet' }, result(0, 1), result(1)]),
] as const;
const relayed = (calls: readonly StepSpec[], functions: FunctionLookup[] = [began, traded, finished]) =>
  opMisfit(op(...calls), functions, { can });

test('calls fit where every result goes to an argument of its type', () => {
  expect(relayed(whole)).toBeUndefined();
});

test.each<[string, readonly StepSpec[], FunctionLookup[] | undefined, RegExp]>([
  [
    'a coin that goes nowhere',
    [whole[0], own('trade', []), whole[2]],
    [began, returning([coin(struct('0xe::b::B'))]), finished],
    /^Call 0 .*No call takes its result 0/,
  ],
  [
    'a hot potato that goes nowhere',
    whole.slice(0, 2),
    [began, returning([], coin(generic.type))],
    /^Call 0 .*result 1, which cannot be dropped/,
  ],
  [
    'a result taken twice',
    [whole[0], whole[1], own('finish', [{ role: 'wallet' }, result(0, 1), result(0)])],
    [began, traded, signature(wallet, order, coin(generic.type))],
    /which call 1 takes/,
  ],
  [
    'a result of another type',
    [whole[0], whole[1], own('finish', [{ role: 'wallet' }, result(0, 1), result(0, 1)])],
    undefined,
    /Argument 2 is result 1 of call 0, which /,
  ],
  [
    'a result that there is not',
    [whole[0], own('trade', [result(0, 2)]), whole[2]],
    undefined,
    /which has 2 results/,
  ],
  [
    'a reference',
    whole,
    [returning([{ ...coin(generic.type), reference: 'mutable' }, order], wallet), traded, finished],
    /a reference, which no other call can take/,
  ],
  [
    'a function that is not public',
    whole,
    [began, { ...traded, isPublic: false }, finished],
    /^Call 1 \(relay::trade\): .* not public/,
  ],
  ['a function that does not exist', whole, [began, 'absent', finished], /^Call 1 .*no such function/],
])('%s: it is said which call and why', (_, calls, functions, why) => {
  expect(relayed(calls, functions)).toMatch(why);
});

test('what was not read is not judged', () => {
  expect(relayed(whole, [began, 'unread', finished])).toBeUndefined();
});

test('one call that leaves a coin does not fit either', () => {
  const one = { kind: 'pay', module: 'relay', entry: 'begin', call: { typeArgs: ['coinIn'], args: [] } };
  expect(opMisfit(one as unknown as ExecutableOp, [returning([coin(generic.type)])])).toMatch(
    /^No call takes its result 0/,
  );
});

/** A type that version 0xf2 of package 0xf1 defines, as a type argument names it. */
const later = '0xf2::lp::LP';
const minted = (packageId: string) => returning([coin(struct(`${packageId}::lp::LP`))], wallet);
const taken = signature(wallet, coin(generic.type));
const pass = [
  own('mint', [{ role: 'wallet' }]),
  { ...own('put', [{ role: 'wallet' }, result(0)]), typeArgs: [later] },
];
const findOriginalId = (packageId: string) =>
  packageId === `0x${'f2'.padStart(64, '0')}` ? `0x${'f1'.padStart(64, '0')}` : undefined;

test('a type that came with an upgrade is the same in a signature and in a type argument', () => {
  expect(opMisfit(op(...pass), [minted('0xf1'), taken], { findOriginalId })).toBeUndefined();
});

test('a type of the same name in another package is another type, if the original id is known', () => {
  const other = [minted('0xf3'), taken];
  expect(opMisfit(op(...pass), other, { findOriginalId })).toMatch(/which is of another type/);
  expect(opMisfit(op(...pass), other)).toBeUndefined();
});
