import { bcs } from '@mysten/sui/bcs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeEvents, encodeEvents } from './chain-bcs.ts';

const address = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const identifier = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,20}$/);

const { struct } = fc.letrec<{ type: string; struct: string }>((tie) => ({
  type: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('bool', 'u8', 'u16', 'u32', 'u64', 'u128', 'u256', 'address', 'signer'),
    tie('type').map((element) => `vector<${element}>`),
    tie('struct'),
  ),
  struct: fc
    .tuple(address, identifier, identifier, fc.array(tie('type'), { maxLength: 3 }))
    .map(
      ([id, module, name, args]) =>
        `${id}::${module}::${name}${args.length > 0 ? `<${args.join(',')}>` : ''}`,
    ),
}));
const event = fc.record({
  packageId: address,
  module: identifier,
  sender: address,
  type: struct,
  contents: fc.uint8Array({ maxLength: 300 }),
});

/** The layout by the SDK's own codecs. */
const TransactionEvents = bcs.vector(
  bcs.struct('Event', {
    packageId: bcs.Address,
    module: bcs.string(),
    sender: bcs.Address,
    type: bcs.StructTag,
    contents: bcs.byteVector(),
  }),
);

test('events are read back as they were emitted, whatever their types', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 5 }), (events) => {
      const bytes = encodeEvents(events);
      expect(decodeEvents(bytes)).toEqual(events.map((emitted, index) => ({ index, ...emitted })));
      expect(TransactionEvents.serialize(TransactionEvents.parse(bytes)).toBytes()).toEqual(bytes);
    }),
  );
});

test('events cut short are an error, not the bytes that stand behind them in memory', () => {
  fc.assert(
    fc.property(event, fc.nat(), (emitted, cut) => {
      const bytes = encodeEvents([emitted]);
      expect(() => decodeEvents(bytes.subarray(0, cut % bytes.length))).toThrow(/end too early/);
    }),
  );
});
