import { Uint8ArrayWriter, ZipWriter, type ZipWriterAddDataOptions } from '@zip.js/zip.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashSource } from './hash.ts';
import { prepareSource, SourceRefusedError, sourceLimits } from './source.ts';
import { readZip } from './zip.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const tree = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, encode(text)]));

const toml = (name: string, ...dependencies: string[]) =>
  `[package]\nname = "${name}"\n[dependencies]\n${dependencies.join('\n')}\n[addresses]\n${name} = "0x0"\n`;
const egg = { 'Move.toml': toml('egg'), 'sources/egg.move': 'module egg::egg;\n' };

async function zip(
  files: Iterable<[path: string, content: string | Uint8Array]>,
  options: ZipWriterAddDataOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false, ...options });
  for (const [path, content] of files) {
    const bytes = typeof content === 'string' ? encode(content) : content;
    await writer.add(path, new Blob([Uint8Array.from(bytes)]).stream(), options);
  }
  return Uint8Array.from(await writer.close());
}

describe('the hash of source', () => {
  test('is that of the listing which the verification service of Sui hashes', () => {
    // Computed with Python's hashlib.
    expect(
      hashSource(tree({ 'sources/m.move': 'module 0x0::m {}\n', 'Move.toml': '[package]\nname = "p"\n' })),
    ).toBe('8797373121ec2c44f0bfd0c0c91ea574d7ba519ef0164698ebf894c138abdc49');
  });

  test('depends on paths and contents of build inputs, and on nothing else', () => {
    const hashed = (files: Record<string, string>) => prepareSource(tree(files)).hash;
    const hash = hashed(egg);
    const others = { 'README.md': 'x', 'tests/t.move': 'x', 'sources/notes.txt': 'x', 'build/egg/a.mv': 'x' };
    expect(hashed({ ...others, ...egg })).toBe(hash);
    for (const [path, text] of [
      ['sources/egg.move', 'module egg::egg {}\n'],
      ['sources/more/other.move', ''],
      ['Move.lock', ''],
      ['Published.toml', ''],
    ] as const) {
      expect(hashed({ ...egg, [path]: text }), path).not.toBe(hash);
    }
  });
});

describe('a package of an offer', () => {
  test('has no more text than an offer, although packages within packages have the same files', () => {
    const parents = Array.from({ length: 12 }, (_, depth) => 'sources/'.repeat(depth));
    const local = parents.slice(1).map((parent, at) => `p${at} = { local = "${parent}" }`);
    const files = Object.fromEntries(
      parents.map((parent, at) => [`${parent}Move.toml`, at === 0 ? toml('top', ...local) : toml(`q${at}`)]),
    );
    const file = `${'sources/'.repeat(13)}m.move`;
    const offer = (bytes: number) => prepareSource(tree({ ...files, [file]: ' '.repeat(bytes) }), '.');
    expect(offer(1_000).packages.size).toBe(12);
    expect(() => offer(sourceLimits.fileBytes)).toThrow(SourceRefusedError);
  });

  test('comes with the local packages that it uses, and without their tests', () => {
    const files = tree({
      'repo/adaptors/egg/Move.toml': toml('egg', 'nest = { local = "../../nest" }'),
      'repo/adaptors/egg/sources/egg.move': 'module egg::egg;\n',
      'repo/nest/Move.toml': toml('nest'),
      'repo/nest/sources/deep/nest.move': 'module nest::nest;\n',
      'repo/nest/tests/nest_tests.move': 'module nest::nest_tests;\n',
      'repo/other/Move.toml': toml('other'),
    });
    const { folder, packages } = prepareSource(files, 'repo/adaptors/egg/');
    expect(folder).toBe('/repo/adaptors/egg');
    expect([...packages].map(([dir, own]) => [dir, Object.keys(own)])).toEqual([
      ['/repo/adaptors/egg', ['Move.toml', 'sources/egg.move']],
      ['/repo/nest', ['Move.toml', 'sources/deep/nest.move']],
    ]);
    expect(() => prepareSource(files)).toThrow(
      '3 packages. Name the folder of one: repo/adaptors/egg, repo/nest',
    );
    expect(() => prepareSource(files, 'repo')).toThrow('no Move.toml in the folder "repo"');
  });

  test.each([
    [{ 'sources/egg.move': '' }, 'has no Move.toml'],
    [{ ...egg, '../egg.move': '' }, 'could lead out of the source'],
    [{ ...egg, 'sources/./a.move': '' }, 'could lead out of the source'],
    [{ ...egg, '/etc/passwd': '' }, 'could lead out of the source'],
    [{ ...egg, 'C:/egg.move': '' }, 'could lead out of the source'],
    [{ ...egg, 'sources\\egg.move': '' }, 'could lead out of the source'],
    [{ ...egg, 'sources/a\nverdict exact.move': '' }, 'could lead out of the source'],
    [{ ...egg, 'sources/Egg.move': '' }, 'are the same file on some systems'],
    [{ ...egg, 'sources/\u00e9.move': '', 'sources/e\u0301.move': '' }, 'are the same file on some systems'],
    [{ ...egg, [`${'a/'.repeat(20)}a.move`]: '' }, 'is too long'],
    [{ ...egg, 'sources/a.move': 'a'.repeat(sourceLimits.fileBytes + 1) }, 'is too large'],
    [{ ...egg, 'Move.toml': `${toml('egg')}a = ${' '.repeat(3_000)}` }, 'A Move.toml is too large'],
    [{ ...egg, 'Move.toml': toml('egg', 'etc = { local = "../../etc" }') }, 'is outside of the source'],
    [{ ...egg, 'Move.toml': toml('egg', 'etc = { local = "/etc" }') }, 'is outside of the source'],
    [{ ...egg, 'Move.toml': toml('egg', 'nest = { local = "nest" }') }, 'is not in the source'],
    [
      { ...egg, 'Move.toml': toml('egg', 'nest = { git = "https://x.example/y" }') },
      'uses nest from https://x.example/y',
    ],
  ])('is refused with the reason: %#', (files, reason) => {
    expect(() => prepareSource(tree(files))).toThrow(SourceRefusedError);
    expect(() => prepareSource(tree(files))).toThrow(reason);
  });

  test.each([
    ['a table without an end', `[${' '.repeat(1_990)}`],
    ['a value with a line break', `a = ${' '.repeat(990)}x${' '.repeat(990)}\rx`],
  ])('with a Move.toml of lines that are %s is read at once', (_, line) => {
    const manifest = toml('egg') + `${line}\n`.repeat(30);
    const startMs = performance.now();
    expect(prepareSource(tree({ ...egg, 'Move.toml': manifest })).folder).toBe('/');
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });

  test('with too many files, or text in another encoding, is refused', () => {
    const many = (count: number, name: (at: number) => string) =>
      new Map([
        ...tree(egg),
        ...Array.from({ length: count }, (_, at) => [name(at), new Uint8Array()] as const),
      ]);
    expect(() => prepareSource(many(100_000, (at) => `docs/${at}.md`))).toThrow('has 100002 files');
    expect(() => prepareSource(many(1_001, (at) => `sources/${at}.move`))).toThrow(
      'more than 1000 manifests',
    );
    const latin = new Map([...tree(egg), ['sources/egg.move', Uint8Array.of(0xe9)]]);
    expect(() => prepareSource(latin)).toThrow('"sources/egg.move" is not UTF-8 text');
  });

  test('with any other paths is prepared or refused with a reason', () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'sources',
      'Move.toml',
      'a.move',
      'A.move',
      '~',
      'C:',
      '\\',
      '__proto__',
    );
    const path = fc.array(part, { maxLength: 5 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(fc.array(path), path, (paths, local) => {
        const files = new Map(paths.map((name) => [name, encode(toml('x', `y = { local = "${local}" }`))]));
        try {
          for (const dir of prepareSource(files).packages.keys()) expect(dir).not.toContain('..');
        } catch (error) {
          if (!(error instanceof SourceRefusedError)) throw error;
        }
      }),
    );
  });
});

describe('a zip file', () => {
  test('with many files leaves time for other work of the process', async () => {
    const others = Array.from({ length: 2_000 }, (_, at): [string, string] => [`${at}.txt`, '']);
    const archive = await zip(others);
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await readZip(archive);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });

  test('gives the same source as the folder that it was made of', async () => {
    const files = await readZip(await zip([['README.md', 'x'], ...Object.entries(egg)]));
    expect([...files.keys()]).toEqual(Object.keys(egg));
    expect(prepareSource(files)).toEqual(prepareSource(tree(egg)));
  });

  test('that unpacks to more than the limit is refused, whatever size it says', async () => {
    const bomb = await zip([['sources/a.move', new Uint8Array(100 * 1024 * 1024)]]);
    expect(bomb.length).toBeLessThan(200_000);
    await expect(readZip(bomb)).rejects.toThrow('is too large');
    const modest = Uint8Array.from(bomb);
    const header = Buffer.from(modest.buffer);
    const directory = header.indexOf('PK\u0001\u0002');
    header.writeUInt32LE(10, directory + 24);
    await expect(readZip(modest)).rejects.toThrow(SourceRefusedError);
    const many = Array.from(
      { length: 8 },
      (_, at) => [`sources/${at}.move`, new Uint8Array(1024 * 1024)] as const,
    );
    await expect(readZip(await zip(many.map(([path, bytes]) => [path, bytes])))).rejects.toThrow(
      'is too large',
    );
  });

  test('with 100,000 files is refused', async () => {
    // Written by hand: a library takes minutes for as many.
    await expect(readZip(zipOfEmptyFiles(100_000))).rejects.toThrow('more than 10000 files');
  });

  test('with links, paths that lead out, passwords and names that overwrite is refused', async () => {
    const link = {
      externalFileAttributes: (0o120777 << 16) >>> 0,
      versionMadeBy: 0x031e,
    } as ZipWriterAddDataOptions;
    await expect(readZip(await zip([['sources/a.move', '../../etc/passwd']], link))).rejects.toThrow(
      'is a link',
    );
    for (const path of ['../a.move', '/a.move', 'a\\..\\b.move']) {
      await expect(readZip(renamed(await zip([['x'.repeat(path.length), '']]), path)), path).rejects.toThrow(
        /lead out of the source|Unsafe filename/,
      );
    }
    await expect(readZip(await zip([['Move.toml', 'x']], { password: 'p' }))).rejects.toThrow('is encrypted');
    const twice = await zip([
      ['sources/a.move', 'a'],
      ['sources/b.move', 'b'],
    ]);
    await expect(readZip(renamed(twice, 'sources/a.move', 'sources/b.move'))).rejects.toThrow(
      'has two files',
    );
  });

  test('in which other programs would find other files is refused', async () => {
    const asFolder = { externalFileAttributes: 0x10, msDosCompatible: true } as ZipWriterAddDataOptions;
    await expect(readZip(await zip([['sources/a.move', 'a']], asFolder))).rejects.toThrow(
      'is a folder with the name of a file',
    );
    const archive = await zip([['sources/a.move', 'a']]);
    const local = Buffer.from(archive).indexOf('sources/a.move');
    const elsewhere = Uint8Array.from(archive);
    elsewhere.set(encode('sources/b.move'), local);
    await expect(readZip(elsewhere)).rejects.toThrow('Ambiguous archive');
    const second = await zip([['sources/b.move', 'b']]);
    await expect(readZip(Uint8Array.from([...second, ...archive]))).rejects.toThrow('Ambiguous archive');
  });

  test('that is damaged is read or refused with a reason', async () => {
    const whole = await zip(Object.entries(egg));
    const edit = fc.record({ at: fc.nat(99_999), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        fc.nat(99_999),
        async (edits, length) => {
          const damaged = whole.slice(0, whole.length - (length % 4 === 0 ? length % whole.length : 0));
          for (const { at, byte } of edits) damaged[at % Math.max(1, damaged.length)] = byte;
          try {
            for (const path of (await readZip(damaged)).keys()) expect(path).not.toContain('..');
          } catch (error) {
            if (!(error instanceof SourceRefusedError)) throw error;
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** The archive with another name of the same length for one of its files. */
function renamed(archive: Uint8Array, name: string, from = 'x'.repeat(name.length)): Uint8Array {
  const text = Buffer.from(archive).toString('latin1').replaceAll(from, name);
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

function zipOfEmptyFiles(count: number): Uint8Array {
  const entry = (at: number) => {
    const name = Buffer.from(`docs/${String(at).padStart(6, '0')}.md`);
    const header = Buffer.alloc(46);
    header.write('PK\u0001\u0002', 'latin1');
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(20, 6);
    header.writeUInt16LE(name.length, 28);
    return Buffer.concat([header, name]);
  };
  const directory = Buffer.concat(Array.from({ length: count }, (_, at) => entry(at)));
  // The number of entries has 16 bits here; readers take a directory of more for what its zip64 record says.
  const end64 = Buffer.alloc(56);
  end64.write('PK\u0006\u0006', 'latin1');
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(directory.length), 40);
  const locator = Buffer.alloc(20);
  locator.write('PK\u0006\u0007', 'latin1');
  locator.writeBigUInt64LE(BigInt(directory.length), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  for (const at of [8, 10]) end.writeUInt16LE(0xffff, at);
  for (const at of [12, 16]) end.writeUInt32LE(0xffffffff, at);
  return Uint8Array.from(Buffer.concat([directory, end64, locator, end]));
}
