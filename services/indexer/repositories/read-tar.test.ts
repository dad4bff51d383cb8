import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { SourceRefusedError } from '@adaptor-marketplace/move-toolchain/verify/source';
import fc from 'fast-check';
import { type Header, pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { archiveLimits, readTar } from './read-tar.ts';

type Entry = Partial<Header> & { name: string; content?: string | Buffer };

const compress = promisify(gzip);

/** A tar with the entries, as the library writes them. */
async function packTar(entries: readonly Entry[]): Promise<Buffer> {
  const packing = pack();
  for (const { content = '', ...header } of entries) packing.entry(header, content);
  packing.finalize();
  return Buffer.concat((await Array.fromAsync(packing)) as Uint8Array[]);
}

const archive = async (entries: readonly Entry[]) => compress(await packTar(entries));
const read = async (entries: readonly Entry[]) => readTar(await archive(entries));
const file = (name: string, content: string | Buffer = ''): Entry => ({ name, content });
const refusal = (given: Promise<Uint8Array> | Uint8Array) =>
  Promise.resolve(given)
    .then(readTar)
    .then(
      (files) => `accepted ${[...files.keys()].join()}`,
      (error: unknown) => {
        expect(error).toBeInstanceOf(SourceRefusedError);
        return (error as Error).message;
      },
    );

/** A header of its own making, where the library writes none. */
function rawHeader(name: string, size: number, typeFlag: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')} `, 124);
  header.write(typeFlag, 156);
  header.write('ustar\u000000', 257);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
const raw = (name: string, typeFlag: string, body = '', size = Buffer.byteLength(body)) => {
  const padded = Buffer.alloc(Math.ceil(Buffer.byteLength(body) / 512) * 512);
  padded.write(body);
  return Buffer.concat([rawHeader(name, size, typeFlag), padded]);
};
/** A record of a pax header: its length, the key and the value. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const length = Buffer.byteLength(rest);
  const digits = String(length + String(length).length).length;
  return `${length + digits}${rest}`;
}
const sealed = (...parts: Buffer[]) => compress(Buffer.concat([...parts, Buffer.alloc(1_024)]));

test('the build inputs are read without the top folder, and other files and links are left out', async () => {
  const files = await read([
    { name: 'pool-1/', type: 'directory' },
    file('pool-1/Move.toml', '[package]'),
    file('pool-1/sources/a.move', 'module a'),
    file('pool-1/README.md', 'x'.repeat(100_000)),
    { name: 'pool-1/CLAUDE.md', type: 'symlink', linkname: '/etc/passwd' },
    file('pool-1/sources/b.move', 'module b'),
  ]);
  const texts = [...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]);
  expect(texts).toEqual([
    ['Move.toml', '[package]'],
    ['sources/a.move', 'module a'],
    ['sources/b.move', 'module b'],
  ]);
});

test('a pax header with the commit, and long names of both kinds, are read', async () => {
  const long = `top/${'folder/'.repeat(20)}sources/a.move`;
  const global = raw('pax_global_header', 'g', paxRecord('comment', 'c'.repeat(40)));
  const gnu = Buffer.concat([raw('././@LongLink', 'L', `${long}\0`), raw('top/cut', '0', 'module a')]);
  expect([...(await readTar(await sealed(global, gnu))).keys()]).toEqual([long.slice(4)]);
  const pax = Buffer.concat([raw('top/x', 'x', paxRecord('path', long)), raw('top/cut', '0', 'module a')]);
  expect([...(await readTar(await sealed(global, pax))).keys()]).toEqual([long.slice(4)]);
});

test.each([
  ['a name with ..', 'top/../Move.toml'],
  ['a name that begins with ..', '../Move.toml'],
  ['an absolute name', '/etc/Move.toml'],
  ['a name with .', './Move.toml'],
])('%s is refused, also as a long one', async (_, name) => {
  expect(await refusal(archive([file(name)]))).toContain('could lead out');
  const pax = sealed(raw('top/x', 'x', paxRecord('path', name)), raw('top/Move.toml', '0'));
  expect(await refusal(pax)).toContain('could lead out');
  const gnu = sealed(raw('././@LongLink', 'L', `${name}\0`), raw('top/Move.toml', '0'));
  expect(await refusal(gnu)).toContain('could lead out');
});

test.each([
  ['symlink', 'top/Move.toml'],
  ['link', 'top/sources/a.move'],
  ['symlink', 'top/sources'],
  ['symlink', 'top/sources/more'],
] as const)('a %s at %s is refused: the compiler would read another file', async (type, name) => {
  expect(await refusal(archive([{ name, type, linkname: '../../etc/passwd' }]))).toContain('is a link');
});

test.each([
  ['a device', '3'],
  ['a pipe', '6'],
  ['a sparse file of GNU tar', 'S'],
  ['a file of an unknown kind', 'Z'],
])('%s is refused', async (_, typeFlag) => {
  expect(await refusal(sealed(raw('top/Move.toml', typeFlag)))).toContain('is not a plain file');
});

test('a sparse file in the form of pax is refused, since its bytes are not its text', async () => {
  const header = paxRecord('GNU.sparse.major', '1') + paxRecord('GNU.sparse.name', 'top/Move.toml');
  expect(
    await refusal(sealed(raw('top/x', 'x', header), raw('top/GNUSparseFile.0/Move.toml', '0', 'x'))),
  ).toContain('is not a plain file');
});

test('two files of one name, and two top folders, are refused', async () => {
  expect(await refusal(archive([file('top/Move.toml'), file('top/Move.toml')]))).toContain('two files');
  expect(await refusal(archive([file('top/Move.toml'), file('other/Move.toml')]))).toContain(
    'several top folders',
  );
});

test('source beyond the limits is refused, by the number of files and by their size', async () => {
  const many = Array.from({ length: 1_001 }, (_, at) => file(`top/sources/${at}.move`));
  const large = file('top/sources/a.move', Buffer.alloc(1024 * 1024 + 1));
  const together = [1, 2, 3, 4, 5].map((at) => file(`top/sources/${at}.move`, Buffer.alloc(900_000)));
  for (const entries of [many, [large], together]) {
    expect(await refusal(archive(entries))).toContain('too much source');
  }
});

test('an archive of 100,000 entries is refused', async () => {
  const block = raw('top/x', '0');
  expect(await refusal(sealed(...Array<Buffer>(100_000).fill(block)))).toContain(
    `more than ${archiveLimits.entries} files`,
  );
});

test('a small archive that unpacks without end is refused', async () => {
  const size = archiveLimits.unpackedBytes + 512;
  const part = 4 * 1024 * 1024;
  const zeros = await compress(Buffer.alloc(part));
  // Gzip files one after the other are one.
  const parts = Array<Buffer>(archiveLimits.unpackedBytes / part + 1).fill(zeros);
  const whole = Buffer.concat([await compress(rawHeader('top/x', size, '0')), ...parts]);
  expect(whole.length).toBeLessThan(1024 * 1024);
  expect(await refusal(whole)).toContain('more than 256 MiB');
});

test.each([
  ['a pax header', 'x'],
  ['a long name', 'L'],
])('%s of many megabytes is refused', async (_, typeFlag) => {
  const size = 64 * 1024 * 1024;
  expect(
    await refusal(compress(Buffer.concat([rawHeader('top/x', size, typeFlag), Buffer.alloc(size)]))),
  ).toContain('exceeds max size');
});

test.each(['-1', 'NaN', '9'.repeat(30), '8000000000'])(
  'a pax header with the size %s is refused',
  async (size) => {
    const header = raw('top/x', 'x', paxRecord('size', size));
    expect(await refusal(sealed(header, raw('top/Move.toml', '0', 'x')))).toMatch(/^(?!accepted)/);
  },
);

const names = fc.constantFrom(
  'top/Move.toml',
  'top/sources/a.move',
  'top/sources/b.move',
  'top/README',
  'top/deep/sources/c.move',
);
const entries = fc.uniqueArray(fc.tuple(names, fc.string({ maxLength: 2_000 })), {
  minLength: 1,
  selector: ([name]) => name,
});

test('a truncated archive is refused, wherever it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(entries, fc.double({ min: 0, max: 0.999, noNaN: true }), async (all, part) => {
      const whole = await archive(all.map(([name, text]) => file(name, text)));
      expect(await refusal(whole.subarray(0, Math.floor(whole.length * part)))).toMatch(
        /^The archive cannot be read/,
      );
    }),
    { numRuns: 100 },
  );
});

test('a header whose bytes changed is refused by its checksum', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(147), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const tar = await packTar([file('top/Move.toml', 'x')]);
      tar[at] = (tar[at]! + change) % 256;
      expect(await refusal(compress(tar))).toMatch(/^The archive cannot be read/);
    }),
    { numRuns: 100 },
  );
});

test('whatever bytes are in an archive, it is read or refused with a reason, and no path leads out', async () => {
  const flips = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(entries, flips, fc.boolean(), async (all, changes, isInTar) => {
      const tar = await packTar(all.map(([name, text]) => file(name, text)));
      const whole = isInTar ? tar : await compress(tar);
      for (const [at, byte] of changes) whole[at % whole.length] = byte;
      const files = await readTar(isInTar ? await compress(whole) : whole).catch((error: unknown) => {
        expect(error).toBeInstanceOf(SourceRefusedError);
        return new Map<string, Uint8Array>();
      });
      for (const path of files.keys()) expect(path.split('/')).not.toContain('..');
    }),
    { numRuns: 300 },
  );
});
