import { GrpcTypes } from '@mysten/sui/grpc';
import { expect, test } from 'vitest';
import type { FunctionSignature, Parameter } from '../chain/functions.ts';
import { callMisfit } from './call-fit.ts';
import type { CallArgument } from './call-spec.ts';

const { OpenSignatureBody_Type: Kind } = GrpcTypes;
type Body = GrpcTypes.OpenSignatureBody;

const plain = (type: GrpcTypes.OpenSignatureBody_Type): Body => ({ type, typeParameterInstantiation: [] });
const struct = (typeName: string, ...typeParameterInstantiation: Body[]): Body => ({
  ...{ type: Kind.DATATYPE, typeName },
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
  ...{ isCallable: true, typeParameters: 1, parameters },
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
