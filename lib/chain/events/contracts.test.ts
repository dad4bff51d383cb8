import { join } from 'node:path';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { deserialize } from '@mysten/move-bytecode-template';
import { describe, expect, test } from 'vitest';
import { moveDir } from '../../contracts/move-dir.ts';
import { capLayouts, capTypes } from '../caps.ts';
import { coinAmount } from '../fields.ts';
import type { Layout } from '../structs.ts';
import { agentsEvents } from './agents.ts';
import { escrowEvents } from './escrow.ts';
import { rulesEvents } from './rules.ts';
import { statementEvents } from './statements.ts';
import { walletEvents } from './wallet.ts';

/** The parts of a deserialized module that describe its structs. */
interface ModuleJson {
  self_module_handle_idx: number;
  module_handles: { address: number; name: number }[];
  identifiers: string[];
  datatype_handles: { module: number; name: number; abilities: number }[];
  struct_defs: {
    struct_handle: number;
    field_information: 'Native' | { Declared: { name: number; signature: Token }[] };
  }[];
}
type Token =
  | string
  | { Vector: Token }
  | { Datatype: number }
  | { DatatypeInstantiation: [number, Token[]] }
  | Record<string, unknown>;

/**
 * `copy` and `drop` without `store` or `key`. All events of these packages have exactly these abilities, and no other
 * struct has.
 */
const eventAbilities = 0b0011;

/** A struct's fields in their order, each as `name: type`, names and types as our layouts spell them. */
type Fields = string[];

interface StructsOfPackage {
  events: Record<string, Fields>;
  others: Record<string, Fields>;
}

/** Compiles a package and reads its structs, by `module::Name`. */
async function compileStructs(path: string): Promise<StructsOfPackage> {
  const { modules } = await compilePackage(join(moveDir, path), { allowUnpublished: true });
  const structs: StructsOfPackage = { events: {}, others: {} };
  for (const bytes of modules) {
    const module: ModuleJson = deserialize(bytes);
    const getName = (index: number) => module.identifiers[index]!;
    const moduleName = getName(module.module_handles[module.self_module_handle_idx]!.name);
    for (const { struct_handle, field_information } of module.struct_defs) {
      const { name, abilities } = module.datatype_handles[struct_handle]!;
      const declared = field_information === 'Native' ? [] : field_information.Declared;
      const fields = declared.map(
        (field) => `${camelCase(getName(field.name))}: ${spell(field.signature, module)}`,
      );
      structs[abilities === eventAbilities ? 'events' : 'others'][`${moduleName}::${getName(name)}`] = fields;
    }
  }
  return structs;
}

function spell(token: Token, module: ModuleJson): string {
  if (typeof token === 'string') return token.toLowerCase();
  if ('Vector' in token) return `vector<${spell(token.Vector as Token, module)}>`;
  const named = (handle: number) => module.identifiers[module.datatype_handles[handle]!.name]!;
  if ('Datatype' in token) {
    const name = named(token.Datatype as number);
    return name === 'ID' || name === 'UID' ? 'address' : name;
  }
  if ('DatatypeInstantiation' in token) {
    const [handle, args] = token.DatatypeInstantiation as [number, Token[]];
    return `${named(handle)}<${args.map((arg) => spell(arg, module)).join(',')}>`;
  }
  return JSON.stringify(token);
}

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Names of our field types on the chain. */
const onChain: Record<string, string> = {
  'bytes[32]': 'address',
  text: 'String',
  hash: 'vector<u8>',
  count: 'u64',
  chosenTime: 'u64',
  amount: 'u64',
};

function spellField(type: string): string {
  const [, outer, inner] = /^(Option|vector)<(.*)>$/.exec(type) ?? [];
  if (outer) return `${outer}<${spellField(inner!)}>`;
  // A union of words is a number on the chain.
  return type.includes(' | ') ? 'u8' : (onChain[type] ?? type);
}

const listFields = ({ leading, appended }: Layout): Fields =>
  Object.entries({ ...leading, ...appended }).map(([name, type]) => `${name}: ${spellField(type.name)}`);

describe.each([
  ['wallet', walletEvents],
  ['rules', rulesEvents],
  ['agents', agentsEvents],
  ['escrow', escrowEvents],
  ['attestations', statementEvents],
] as const)('move/%s and our codecs', (path, codec) => {
  test('know the same events, with the same fields in the same order', async () => {
    const layouts = Object.entries<Layout>(codec.layouts);
    const known = Object.fromEntries(layouts.map(([name, layout]) => [name, listFields(layout)]));
    expect((await compileStructs(path)).events).toEqual(known);
  });
});

test("an action's amounts are read with the fields that their package gives them", async () => {
  const { others } = await compileStructs('wallet');
  const bytes = coinAmount.serialize({ coin: `${'0x'.padEnd(66, '1')}::usd::USD`, amount: '5' }).toBytes();
  expect(others['action::CoinAmount']).toEqual(['coin: TypeName', 'amount: u64']);
  expect(Object.keys(coinAmount.parse(bytes))).toEqual(['coin', 'amount']);
});

test('caps are read with the fields that their package gives them', async () => {
  const { others } = await compileStructs('wallet');
  for (const kind of ['bearer', 'scoped'] as const) {
    expect(others[capTypes[kind]]).toEqual(listFields(capLayouts[kind]));
  }
});
