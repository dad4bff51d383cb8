import { join } from 'node:path';
import { BytecodeError, parseModule, type TokenJson } from '@adaptor-marketplace/move-bytecode';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { serialize } from '@mysten/move-bytecode-template';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { PackageContent } from '../packages/source.ts';
import { Program } from './code/program.ts';
import { Analysis } from './flow/analysis.ts';
import { introspect } from './introspect.ts';
import { anyCode, changedBytes } from './testing/hostile-bytecode.ts';
import { chain, mill, wide } from './testing/large-modules.ts';
import { createSource, moveDir, publishedFolders, publishedText } from './testing/packages.ts';

let wallet: PackageContent;
let subject: PackageContent;
let bytes: Uint8Array;

beforeAll(async () => {
  const folders = await publishedFolders([join(moveDir, 'wallet'), join(moveDir, 'adaptors/term_savings')]);
  wallet = await folders.read(folders.deriveId('wallet'));
  subject = await folders.read(folders.deriveId('term_savings'));
  bytes = subject.modules.get('term_savings')!;
});

const withModule = (content: PackageContent, name: string, module: Uint8Array): PackageContent => ({
  ...content,
  modules: new Map([[name, module]]),
});

/** Reads the package, whatever its bytes are. The result is an introspection, or a refusal of the bytes. */
async function outcome(content: PackageContent): Promise<'read' | 'refused'> {
  try {
    const { ops } = await introspect(createSource([content, wallet]), content.id);
    for (const { params, paramCount } of ops) expect(params).toHaveLength(paramCount);
    return 'read';
  } catch (error) {
    if (error instanceof BytecodeError) return 'refused';
    throw error;
  }
}

test('bytes with any of them changed or missing are read or refused, and nothing else happens', async () => {
  await fc.assert(
    fc.asyncProperty(changedBytes(bytes), async (changed) => {
      await outcome(withModule(subject, 'term_savings', changed));
    }),
    { numRuns: 200 },
  );
});

test('code that no verifier would pass is read', async () => {
  const json = parseModule(bytes);
  let read = 0;
  await fc.assert(
    fc.asyncProperty(anyCode(json, 40), fc.nat(json.function_defs.length - 1), async (code, which) => {
      const changed = structuredClone(json);
      const definition = changed.function_defs[which]!;
      fc.pre(Boolean(definition.code));
      definition.code!.code = code;
      if ((await outcome(withModule(subject, 'term_savings', serialize(changed)))) === 'read') read++;
    }),
    { numRuns: 100 },
  );
  expect(read).toBeGreaterThan(0);
});

const depth = 120;
const floors = Array.from(
  { length: depth },
  (_, i) => `public fun f${i}<T>(n: u64): u64 { f${i + 1}<Pair<T, T>>(n) + f${i + 1}<Pair<T, T>>(n) }\n`,
);
const tower = `module large::tower;
public struct Pair<phantom A, phantom B> {}
${floors.join('')}public fun f${depth}<T>(n: u64): u64 { n }
`;

test('calls of calls, types of types, loops within loops and wide structs cost no more than they are long', async () => {
  const sources = { 'sources/tower.move': tower, 'sources/mill.move': mill, 'sources/wide.move': wide };
  const content = await publishedText({ 'Move.toml': moveToml('large'), ...sources });
  const { ops } = await introspect(createSource([content]), content.id);
  expect(ops).toHaveLength(depth + 2 + 4);
  expect(ops[0]).toMatchObject({ entry: 'grind', params: [{ role: 'pure' }] });
});

test.each(Object.entries({ chain, mill, wide }))(
  'a function whose code and calls are long is run in small parts: %s',
  async (name, source) => {
    const content = await publishedText({ 'Move.toml': moveToml('large'), [`sources/${name}.move`]: source });
    const program = new Program(content);
    const [module] = program.rootModules();
    const fuel = { left: 1_000_000 };
    let before = fuel.left;
    let largest = 0;
    const measure = async () => {
      largest = Math.max(largest, before - fuel.left);
      before = fuel.left;
    };
    const analysis = new Analysis(program, fuel, measure);
    for (const index of module!.functions.keys()) await analysis.getSummary(module!, index);
    await measure();
    expect(1_000_000 - fuel.left).toBeGreaterThan(1_000);
    // A part has at most the joins of 64 blocks, which cost more than their instructions.
    expect(largest).toBeLessThan(20_000);
  },
);

/** The module with `count` more functions, each with 120 arguments of a type. */
function withFunctions(count: number, type: TokenJson): PackageContent {
  const json = parseModule(bytes);
  const [definition] = json.function_defs;
  const { name: _, ...handle } = json.function_handles[definition!.function]!;
  const parameters = json.signatures.push(Array.from({ length: 120 }, () => type)) - 1;
  for (let i = 0; i < count; i++) {
    const name = json.identifiers.push(`same_${i}`) - 1;
    const named = json.function_handles.push({ ...handle, name, parameters }) - 1;
    json.function_defs.push({ ...definition!, function: named });
  }
  return withModule(subject, 'term_savings', serialize(json));
}

test('a type that thousands of arguments have is not written out in each', async () => {
  const vectors = (levels: number): TokenJson => (levels === 0 ? 'U8' : { Vector: vectors(levels - 1) });
  const content = withFunctions(1000, vectors(200));
  await expect(introspect(createSource([content, wallet]), content.id)).rejects.toMatchObject({
    reason: 'too_large',
  });
});

test('a type too long to read is cut off', async () => {
  const option = parseModule(bytes).datatype_handles.findIndex(
    ({ type_parameters: all }) => all.length === 1,
  );
  const nested = (levels: number): TokenJson =>
    levels === 0 ? 'U8' : { DatatypeInstantiation: [option, [nested(levels - 1)]] };
  const { ops } = await introspect(createSource([withFunctions(1, nested(200)), wallet]), subject.id);
  const [param] = ops.find(({ entry }) => entry === 'same_0')!.params;
  expect(param!.type).toMatch(/^0x.{2046}…$/);
});

test('a package that names hundreds of others has some of them read, not all', async () => {
  const reads: string[] = [];
  const linkage = new Map(
    Array.from({ length: 300 }, (_, i) => `0x${(i + 0xabcdef).toString(16).padStart(64, '0')}`).map((id) => [
      id,
      id,
    ]),
  );
  const json = parseModule(bytes);
  const first = json.module_handles.length;
  for (const id of linkage.keys()) {
    json.module_handles.push({ address: json.address_identifiers.push(id.slice(2)) - 1, name: 0 });
  }
  expect(json.module_handles.length).toBe(first + 300);
  const content = { ...withModule(subject, 'term_savings', serialize(json)), linkage };
  const source = createSource([content]);
  const counting = {
    read: (id: string) => {
      reads.push(id);
      return id === content.id ? source.read(id) : Promise.resolve({ ...wallet, id, originalId: id });
    },
  };
  await introspect(counting, content.id);
  expect(reads.length).toBeLessThanOrEqual(1 + 32);
});

test('a caller who leaves ends the work, though all packages are read', async () => {
  const sources = { 'sources/tower.move': tower, 'sources/mill.move': mill, 'sources/wide.move': wide };
  const content = await publishedText({ 'Move.toml': moveToml('large'), ...sources });
  const gone = new AbortController();
  const source = {
    read: async () => {
      gone.abort();
      return content;
    },
  };
  await expect(introspect(source, content.id, { signal: gone.signal })).rejects.toThrow(
    expect.objectContaining({ name: 'AbortError' }),
  );
});
