import fc from 'fast-check';
import { lastMomentMs } from '../fields.ts';
import type { EventCodec } from './codec.ts';

const address = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const text = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((value) => !value.includes('\0'));
const identifier = fc.stringMatching(/^(?:[a-zA-Z][a-zA-Z0-9_]{0,20}|_[a-zA-Z0-9_]{1,20})$/);

const { typeName } = fc.letrec<{ typeName: string; datatype: string }>((tie) => ({
  typeName: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('bool', 'u8', 'u64', 'address'),
    tie('datatype'),
    tie('typeName').map((element) => `vector<${element}>`),
  ),
  datatype: fc
    .tuple(
      address,
      identifier,
      identifier,
      fc.array(tie('typeName'), { maxLength: 2, depthIdentifier: 'type' }),
    )
    .map(([pkg, module, name, args]) => {
      const path = `${pkg}::${module}::${name}`;
      return args.length === 0 ? path : `${path}<${args.join(',')}>`;
    }),
}));

/** Generators of field values, by the name of the field type. */
const fields: Record<string, fc.Arbitrary<unknown>> = {
  address,
  text,
  hash: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  count: fc.maxSafeNat(),
  chosenTime: fc.integer({ min: 0, max: lastMomentMs }),
  amount: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
  u8: fc.integer({ min: 0, max: 255 }),
  bool: fc.boolean(),
  TypeName: typeName,
};
fields.CoinAmount = fc.record({ coin: typeName, amount: fields.amount! });

function buildFieldArbitrary(type: string): fc.Arbitrary<unknown> {
  const [, outer, inner] = /^(Option|vector)<(.*)>$/.exec(type) ?? [];
  if (outer === 'Option') return fc.option(buildFieldArbitrary(inner!));
  if (outer === 'vector') return fc.array(buildFieldArbitrary(inner!), { maxLength: 5 });
  if (type.includes(' | ')) return fc.constantFrom(...type.split(' | '));
  const known = fields[type];
  if (!known) throw new Error(`There is no arbitrary for a field of the type ${type}.`);
  return known;
}

const buildRecordArbitrary = (types: Record<string, { name: string }>) =>
  fc.record(
    Object.fromEntries(Object.entries(types).map(([name, type]) => [name, buildFieldArbitrary(type.name)])),
  );

/** Builds a generator of events with all appended fields. Their values need not follow the contracts' own rules. */
export function buildEventArbitrary<Events, Name extends keyof Events & string>(
  codec: EventCodec<Events>,
  name: Name,
): fc.Arbitrary<Events[Name]> {
  const { leading, appended } = codec.layouts[name];
  return buildRecordArbitrary({ ...leading, ...appended }) as fc.Arbitrary<unknown> as fc.Arbitrary<
    Events[Name]
  >;
}
