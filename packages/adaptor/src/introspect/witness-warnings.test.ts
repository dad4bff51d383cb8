import { join } from 'node:path';
import { parseModule } from '@adaptor-marketplace/move-bytecode';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { listPackages, packageName, readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { serialize } from '@mysten/move-bytecode-template';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { PackageContent } from '../packages/source.ts';
import { introspect } from './introspect.ts';
import { listedWitnessWarnings } from './listed-witness.ts';
import {
  createSource,
  moveDir,
  type PublishedPackages,
  publishedFolders,
  publishedFramework,
  publishedText,
} from './testing/packages.ts';

/** Bodies of modules with a witness `W`. */
const leaky = {
  direct: 'public fun give(): W { W {} }',
  tuple: 'public fun give(): (u64, W) { (1, W {}) }',
  option: 'public fun give(): Option<W> { option::some(W {}) }',
  nested: 'public fun give(): vector<Option<vector<W>>> { vector[option::some(vector[W {}])] }',
  own_struct: 'public struct Held { n: u64, w: W } public fun give(): Held { Held { n: 1, w: W {} } }',
  own_deep: `public struct A has drop { w: W } public struct B<T> has drop { t: T, a: vector<A> }
    public fun give(): Option<B<u8>> { option::some(B { t: 1, a: vector[] }) }`,
  own_generic: 'public struct Box<T> { t: T } public fun give(): Box<W> { Box { t: W {} } }',
  own_enum: `public enum Choice has drop { None, Some { w: W } } public fun give(): Choice { Choice::Some { w: W {} } }`,
  foreign: `public fun give(): sui::priority_queue::PriorityQueue<W> { sui::priority_queue::new(vector[]) }`,
  // A private entry function may return what has drop, and the transaction's next command takes it.
  entry_alone: 'entry fun give(): W { W {} }',
  entry_in_package: 'public(package) entry fun give(): W { W {} }',
  lent: 'public fun give(slots: &mut vector<Option<W>>): &mut Option<W> { &mut slots[0] }',
  filled: 'public fun give(slot: &mut Option<W>) { slot.fill(W {}) }',
  generic: 'public fun give<T>(t: T): (T, W) { (t, W {}) }',
} as const;

const tight = {
  unused: 'public fun act() { let W {} = W {}; }',
  inside: 'public(package) fun give(): W { W {} }',
  private_: 'fun give(): vector<W> { vector[W {}] } public fun act() { give(); }',
  phantom: `public struct Ticket<phantom T> { n: u64 } public fun give(): Ticket<W> { Ticket { n: 1 } }`,
  phantom_foreign: 'public fun give(): sui::balance::Balance<W> { sui::balance::zero() }',
  unheld: `public struct Ghost<phantom T> has drop {} public struct Mark<phantom T> has drop { g: Ghost<T> }
    public fun give(): vector<Mark<W>> { vector[] }`,
  taken: 'public fun act(_: W, _: Option<W>): u64 { 1 }',
  borrowed: 'public fun act(w: &W): &W { w }',
  borrowed_mutably: 'public fun act(w: &mut W): &mut W { w }',
  borrowed_list: 'public fun act(list: &vector<W>): &Option<u8> { abort list.length() }',
  borrowed_own: 'public struct Held { w: W } public fun act(held: &mut Held): &mut Held { held }',
  generic: 'public fun same<T>(t: T): T { t }',
  other: 'public struct V has drop {} public fun give(): V { V {} }',
} as const;

const copied = {
  reference: 'public fun give(w: &W): &W { w }',
  mutable: 'public fun give(w: &mut W): &mut W { w }',
  in_list: 'public fun give(list: &vector<W>): &vector<W> { list }',
  in_struct: `public struct Held has copy, drop { w: W } public fun give(held: &Held): &Held { held }`,
} as const;

const names = (prefix: string, bodies: object) => Object.keys(bodies).map((name) => `${prefix}_${name}`);

function buildModules(prefix: string, bodies: Record<string, string>, abilities = 'drop') {
  return Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => {
      const module = `${prefix}_${name}`;
      const text = `module hostile::${module};\npublic struct W has ${abilities} {}\n${body}\n`;
      return [`sources/${module}.move`, text];
    }),
  );
}

let hostile: PackageContent;
beforeAll(async () => {
  const files = {
    ...buildModules('leaky', leaky),
    ...buildModules('tight', tight),
    ...buildModules('copied', copied, 'copy, drop'),
    // The function that gives `W` away need not be in the module that makes it.
    'sources/maker.move':
      'module hostile::maker;\npublic struct W has drop {}\npublic(package) fun make(): W { W {} }\n',
    'sources/giver.move':
      'module hostile::giver;\npublic fun give(): hostile::maker::W { hostile::maker::make() }\n',
  };
  hostile = await publishedText({ 'Move.toml': moveToml('hostile'), ...files });
});

const listWarnings = (module: string, witness = 'W') => listedWitnessWarnings(hostile, { module, witness });
const listWarningCodes = async (module: string) => (await listWarnings(module)).map(({ code }) => code);

describe('a value of a witness that others can get', () => {
  test.each(names('leaky', leaky))('%s is warned of', async (module) => {
    const warnings = await listWarnings(module);
    expect(warnings).toEqual([
      { code: 'witness_returned', detail: expect.stringContaining(`from ${module}::give, and`) },
    ]);
  });

  test.each(names('tight', tight))('%s: nothing gives one away', async (module) => {
    expect(await listWarnings(module)).toEqual([]);
  });

  test.each(names('copied', copied))('%s is copied out of what is borrowed', async (module) => {
    expect(await listWarningCodes(module)).toEqual(['witness_has_more_than_drop', 'witness_returned']);
  });

  test('is warned of whichever module gives it away', async () => {
    expect((await listWarnings('maker'))[0]?.detail).toContain('from giver::give,');
  });

  test('is named by three functions, however many there are', async () => {
    const functions = Array.from({ length: 40 }, (_, i) => `public fun f${i}(): W { W {} }`).join('\n');
    const many = await publishedText({
      'Move.toml': moveToml('hostile'),
      ...buildModules('many', { all: functions }),
    });
    const [warning] = await listedWitnessWarnings(many, { module: 'many_all', witness: 'W' });
    expect(warning?.detail).toMatch(/from many_all::f0, many_all::f1, many_all::f2 and 37 more, and/);
  });
});

test('an introspection warns at each witness, and only there', async () => {
  const found = await introspect(createSource([hostile]), hostile.id);
  const witnesses = found.witnesses.filter(({ name }) => name === 'W');
  const warned = witnesses.filter(({ warnings }) => warnings.length > 0).map(({ module }) => module);
  expect(warned).toEqual([...names('leaky', leaky), 'maker'].sort());
  const quiet = witnesses.filter(({ warnings }) => warnings.length === 0).map(({ module }) => module);
  expect(new Set(quiet)).toEqual(new Set(names('tight', tight)));
});

describe('a witness that is not a plain struct with drop alone', () => {
  const pay = (witness: string, type: string) => `public fun pay<C>(
    wallet: &mut Wallet, to: address, amount: u64, clock: &Clock, ctx: &mut TxContext): sui::coin::Coin<C> {
    let request = intent::request_payment<${type}, C>(${witness}, amount, to);
    let (coin, receipt) = intent::validate_and_pay(wallet, request, clock, ctx);
    intent::verify_and_clear(wallet, receipt, intent::create_receipt_sig(${witness}, amount, to));
    coin
  }`;
  const service = (name: string, declared: string, witness: string, type = witness.split(' ')[0]!) =>
    `module flawed::${name};
use sui::clock::Clock;
use wallet::intent;
use wallet::wallet::Wallet;
${declared}
${pay(witness, type)}
`;
  const sources = {
    copies: service('copies', 'public struct Copies has copy, drop {}', 'Copies {}'),
    stores: service('stores', 'public struct Stores has drop, store {}', 'Stores {}'),
    generic: service(
      'generic',
      'public struct Generic<phantom T> has drop {}',
      'Generic<u8> {}',
      'Generic<u8>',
    ),
    // An event that names no service, though it has the shape of a flawed witness.
    event:
      'module flawed::event;\npublic struct Happened has copy, drop {}\npublic fun tell() { sui::event::emit(Happened {}) }\n',
  };
  let flawed: PackageContent;
  let wallet: PublishedPackages;

  beforeAll(async () => {
    wallet = await publishedFolders([join(moveDir, 'wallet')]);
    const toml = moveToml('flawed', ['wallet']).replace('../wallet', 'wallet');
    const files = Object.entries(sources).map(([name, text]) => [`sources/${name}.move`, text]);
    flawed = await publishedText({ 'Move.toml': toml, ...Object.fromEntries(files) }, moveDir);
  });

  test('is a witness all the same where its package pays by it, and is warned of', async () => {
    const source = createSource([flawed, await wallet.read(wallet.deriveId('wallet'))]);
    const { witnesses } = await introspect(source, flawed.id);
    expect(witnesses.map(({ name, warnings }) => [name, warnings.map(({ code }) => code)])).toEqual([
      ['Copies', ['witness_has_more_than_drop']],
      ['Generic', ['witness_not_usable']],
      ['Stores', ['witness_has_more_than_drop']],
    ]);
    expect(witnesses[0]?.warnings[0]?.detail).toMatch(/^Copies has copy beside drop, /);
  });

  test('is warned of by name, where somebody listed it', async () => {
    const codes = async (module: string, witness: string) =>
      (await listedWitnessWarnings(flawed, { module, witness })).map(({ code }) => code);
    expect(await codes('stores', 'Stores')).toEqual(['witness_has_more_than_drop']);
    expect(await codes('generic', 'Generic')).toEqual(['witness_not_usable']);
    expect(await codes('generic', 'Absent')).toEqual([]);
    expect(await codes('absent', 'Generic')).toEqual([]);
  });

  test('of the framework is refused by wallets', async () => {
    const framework = await publishedFramework();
    const std = await framework.read('0x1');
    const codes = (await listedWitnessWarnings(std, { module: 'string', witness: 'String' })).map(
      ({ code }) => code,
    );
    expect(codes).toEqual(['witness_not_usable', 'witness_has_more_than_drop', 'witness_returned']);
  });
});

test('none of our own packages gives a witness away', async () => {
  const dirs = [...(await listPackages(moveDir)), join(moveDir, '../docs/examples/hello_adaptor')];
  const packages = await publishedFolders(dirs);
  const named: string[] = [];
  for (const dir of dirs) {
    const { witnesses } = await introspect(packages, packages.deriveId(packageName(await readPackage(dir))));
    for (const { name, warnings } of witnesses) {
      expect([name, warnings]).toEqual([name, []]);
      named.push(name);
    }
  }
  expect(named).toEqual(expect.arrayContaining(['TipJar', 'Greeter', 'RecipientAllowlist', 'ShareVault']));
});

describe('bounds', () => {
  const w = { module: 'leaky_direct', witness: 'W' };

  test('bytecode beyond them, or that is none, is said to be unchecked', async () => {
    const unchecked = [expect.objectContaining({ code: 'witness_unchecked' })];
    expect(await listedWitnessWarnings(hostile, w, { bytesMax: 100 })).toEqual(unchecked);
    const broken = { ...hostile, modules: new Map([['leaky_direct', new Uint8Array([1, 2, 3])]]) };
    expect(await listedWitnessWarnings(broken, w)).toEqual(unchecked);
  });

  test('structs within structs by the thousand, and twice in each other, cost no more than they are long', async () => {
    const depth = 150;
    const structs = Array.from(
      { length: depth },
      (_, i) => `public struct S${i}<T> has drop { a: vector<S${i + 1}<T>>, b: vector<S${i + 1}<u8>> }`,
    );
    const chain = (n: number) => {
      const last = n === 24 ? 'W' : `hostile::chain${n + 1}::S0<T>`;
      const witness = n === 24 ? 'public struct W has drop {}' : '';
      return `module hostile::chain${n};\n${witness}\n${structs.join('\n')}
public struct S${depth}<T> has drop { t: vector<T>, last: ${last} }\n`;
    };
    const files = Array.from({ length: 25 }, (_, n) => [`sources/chain${n}.move`, chain(n)]);
    const giver = 'module hostile::giver;\npublic fun give(): hostile::chain0::S0<u8> { abort 0 }\n';
    const content = await publishedText({
      'Move.toml': moveToml('hostile'),
      ...Object.fromEntries(files),
      'sources/giver.move': giver,
    });
    const warnings = await listedWitnessWarnings(content, { module: 'chain24', witness: 'W' });
    expect(warnings.map(({ code }) => code)).toEqual(['witness_returned']);
  });
});

/** A type in a module with the witness `W` and the structs below, and what code elsewhere gets with it. */
interface Shape {
  text: string;
  /** True if a value holds a `W`. */
  holds: boolean;
  /** True if that `W` is in no struct of the package. */
  open: boolean;
}

const declared = `public struct W has drop {}
public struct Held has drop { n: u64, w: W }
public struct Deep has drop { held: vector<Held> }
public struct Plain has drop { n: u64 }
public struct Ghost<phantom T> has drop {}
public struct Box<T> has drop { t: T }
public struct Outer<A, B> has drop { a: Option<Box<A>>, b: Ghost<B> }
public enum Choice<T> has drop { None, Some { t: T } }
`;

const leaf: fc.Arbitrary<Shape> = fc.constantFrom(
  { text: 'W', holds: true, open: true },
  { text: 'Held', holds: true, open: false },
  { text: 'Deep', holds: true, open: false },
  ...['Plain', 'u64', 'vector<u8>'].map((text) => ({ text, holds: false, open: false })),
);

const { shape } = fc.letrec<{ shape: Shape }>((tie) => {
  const inner = tie('shape');
  const wrap = (name: string, more: (inside: Shape) => Partial<Shape>) =>
    inner.map((inside) => ({ ...inside, ...more(inside), text: `${name}<${inside.text}>` }));
  return {
    shape: fc.oneof(
      { maxDepth: 4, depthSize: 'medium' },
      leaf,
      wrap('vector', () => ({})),
      wrap('Option', () => ({})),
      wrap('Box', () => ({ open: false })),
      wrap('Choice', () => ({ open: false })),
      wrap('Ghost', () => ({ holds: false, open: false })),
      wrap('sui::balance::Supply', () => ({ holds: false, open: false })),
      fc.tuple(inner, inner).map(([a, b]) => {
        return { text: `Outer<${a.text}, ${b.text}>`, holds: a.holds, open: false };
      }),
    ),
  };
});

/** The result of a function; `given` is true if it gives code elsewhere a `W`. */
const result = fc
  .tuple(fc.constantFrom('', '', '&', '&mut '), shape)
  .map(([reference, { text, holds, open }]) => ({
    text: reference + text,
    // Code can only copy out of a borrowed value, but it can empty a container that it borrows mutably.
    given: reference === '' ? holds : reference === '&mut ' && open && text !== 'W',
  }));
const fun = fc.record({
  results: fc.array(result, { minLength: 1, maxLength: 3 }),
  visibility: fc.constantFrom('public', 'public', 'public', 'public(package)', ''),
});

test('for any shapes of results, a witness is warned of exactly where a value of it comes out', async () => {
  const [seen, quiet] = [new Set<string>(), new Set<string>()];
  await fc.assert(
    // A compilation costs as much for a hundred modules as for one.
    fc.asyncProperty(fc.array(fun, { minLength: 100, maxLength: 120 }), async (functions) => {
      const files = functions.map(({ results, visibility }, i) => {
        const types = results.map(({ text }) => text).join(', ');
        const text = `${visibility} fun f(_: &mut u64): (${types}) { abort 0 }`;
        return [`sources/m${i}.move`, `module hostile::m${i};\n${declared}${text}\n`];
      });
      const content = await publishedText({ 'Move.toml': moveToml('hostile'), ...Object.fromEntries(files) });
      for (const [i, { results, visibility }] of functions.entries()) {
        const warnings = await listedWitnessWarnings(content, { module: `m${i}`, witness: 'W' });
        const given = visibility === 'public' && results.some((one) => one.given);
        const what = `${visibility}: ${results.map(({ text }) => text).join(', ')}`;
        expect([what, warnings.length > 0]).toEqual([what, given]);
        (given ? seen : quiet).add(what);
      }
    }),
    { numRuns: 2 },
  );
  expect([seen.size > 5, quiet.size > 5]).toEqual([true, true]);
});

test('bytes of modules that no verifier passed, with structs in themselves, are read', async () => {
  const json = parseModule(hostile.modules.get('leaky_own_struct')!);
  const [held] = json.struct_defs.filter(({ struct_handle }) => {
    return json.identifiers[json.datatype_handles[struct_handle]!.name] === 'Held';
  });
  const information = held!.field_information;
  if (information === 'Native') throw new Error('no fields');
  information.Declared[0]!.signature = { Datatype: held!.struct_handle };
  const circular = { ...hostile, modules: new Map([['leaky_own_struct', serialize(json)]]) };
  const warnings = await listedWitnessWarnings(circular, { module: 'leaky_own_struct', witness: 'W' });
  expect(warnings.map(({ code }) => code)).toEqual(['witness_returned']);
});
