import { GrpcTypes } from '@mysten/sui/grpc';
import { describe, expect, test } from 'vitest';
import type { EventRecord } from '../../ledger/types.ts';
import { parseEventFilter, parseTransactionFilter } from './filter.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;

const event: EventRecord = {
  index: 0,
  packageId: id('aa'),
  module: 'caller',
  sender: id('5'),
  type: `${id('b')}::registry::Registered<${id('2')}::sui::SUI,u64>`,
  contents: new Uint8Array(),
};

type Predicate = GrpcTypes.EventLiteral['predicate'];
const eventType = (eventType: string): Predicate => ({ oneofKind: 'eventType', eventType: { eventType } });
const sender = (address: string): Predicate => ({ oneofKind: 'sender', sender: { address } });
const emitModule = (module: string): Predicate => ({ oneofKind: 'emitModule', emitModule: { module } });
const is = (predicate: Predicate) => ({ negated: false, predicate });
const not = (predicate: Predicate) => ({ negated: true, predicate });

const filter = (...terms: GrpcTypes.EventLiteral[][]) =>
  parseEventFilter(GrpcTypes.EventFilter.create({ terms: terms.map((literals) => ({ literals })) }));
const matches = (...terms: GrpcTypes.EventLiteral[][]) => filter(...terms).matches(event);

test.each([
  ['the address', '0xb', true],
  ['the address in long form', id('b'), true],
  ['the module', '0xb::registry', true],
  ['the bare generic name', '0xb::registry::Registered', true],
  [
    'the full instantiation, short addresses and spaces',
    '0xb::registry::Registered<0x2::sui::SUI, u64>',
    true,
  ],
  ['another instantiation', '0xb::registry::Registered<u8, u64>', false],
  ['a module that begins alike', '0xb::reg', false],
  ['a name that begins alike', '0xb::registry::Regis', false],
  ['an address that begins alike', '0xbb', false],
  ['the package that was called', id('aa'), false],
])('an event type filter by %s', (_name, path, expected) => {
  expect(matches([is(eventType(path))])).toBe(expected);
});

test('literals of a term must all hold, one term is enough, and negation turns a literal round', () => {
  expect(matches([is(sender('0x5')), is(emitModule('0xaa::caller'))])).toBe(true);
  expect(matches([is(sender('0x5')), is(emitModule('0xaa::other'))])).toBe(false);
  expect(matches([is(sender('0x6'))], [is(sender('0x5'))])).toBe(true);
  expect(matches([not(sender('0x6'))])).toBe(true);
  expect(matches([not(sender('0x5')), is(eventType('0xb'))])).toBe(false);
});

test('the index is asked for what covers every term, and not at all when a term cannot be covered', () => {
  expect(filter([is(sender('0x5')), is(eventType('0xb'))], [is(emitModule('0xaa'))]).keys).toEqual([
    { kind: 'eventType', eventType: id('b') },
    { kind: 'emitModule', module: id('aa') },
  ]);
  expect(filter([is(sender('0x5'))], [not(sender('0x6'))]).keys).toBeUndefined();
});

describe('what is refused', () => {
  const refused = (...terms: GrpcTypes.EventLiteral[][]) => expect(() => filter(...terms));

  test('no terms, no literals, no predicate', () => {
    refused().toThrow(/at least one term/);
    refused([]).toThrow(/at least one literal/);
    refused([is({ oneofKind: undefined })]).toThrow(/predicate/);
  });

  test('more than ten literals over all terms', () => {
    refused(...Array.from({ length: 11 }, () => [is(sender('0x5'))])).toThrow(/more than 10/);
    expect(() => filter(...Array.from({ length: 10 }, () => [is(sender('0x5'))]))).not.toThrow();
  });

  test.each([
    '',
    'x',
    '0xb::',
    '0xb::a::B::c',
    '0xb::a b',
    '0xb::m::N<',
    '0xb::m::N<u8',
    '0xb::m::N<u8>>',
    '0xb::m::N<u8>x',
    '0xb::m::N<0xc::n::O<>',
    '0xb::m::N<0xc::n>',
    '0xb::m::N<u8,>',
    'vector<0xb::m::N::o>',
    `0x${'1'.repeat(65)}`,
  ])('the event type %j', (path) => refused([is(eventType(path))]).toThrow(/filter\.event_type/));

  test('authenticated event streams, which this network lacks', () => {
    refused([is({ oneofKind: 'eventStreamHead', eventStreamHead: {} })]).toThrow(/event_stream_head/);
  });
});

test('a transaction filter takes what event filters take, and more', () => {
  const parse = (predicate: GrpcTypes.TransactionLiteral['predicate']) =>
    parseTransactionFilter({ terms: [{ literals: [{ negated: false, predicate }] }] }).keys;
  expect(parse({ oneofKind: 'eventType', eventType: { eventType: '0xb::m' } })).toEqual([
    { kind: 'eventType', eventType: `${id('b')}::m` },
  ]);
  expect(parse({ oneofKind: 'moveCall', moveCall: { function: '0xb::m::f' } })).toEqual([
    { kind: 'moveCall', function: `${id('b')}::m::f` },
  ]);
  expect(parse({ oneofKind: 'packageWrite', packageWrite: {} })).toEqual([{ kind: 'packageWrite' }]);
});
