import { Uint8ArrayWriter, ZipWriter, type ZipWriterAddDataOptions } from '@zip.js/zip.js';
import fc from 'fast-check';

const manifest = '[package]\nname = "egg"\n[addresses]\negg = "0x0"\n';
const source = 'module egg::egg;\npublic fun lay(): u64 { 1 }\n';

/** Contents of archives: a package, and what may come in its place. */
const contents: [files: Readonly<Record<string, string>>, options?: ZipWriterAddDataOptions][] = [
  [{ 'Move.toml': manifest, 'sources/egg.move': source }],
  [{ 'a/Move.toml': manifest, 'a/sources/egg.move': source, 'b/Move.toml': manifest }],
  [{ 'Move.toml': `${manifest}[dependencies]\nself = { local = "../.." }\n`, 'sources/egg.move': source }],
  [{ 'Move.toml': `${manifest}[dependencies]\nself = { local = "." }\n`, 'sources/egg.move': source }],
  [{ 'Move.toml': `${manifest}[dependencies]\nfar = { git = "file:///etc/passwd", rev = "x" }\n` }],
  [{ 'Move.toml': '['.repeat(20_000), 'sources/egg.move': source }],
  [{ 'Move.toml': manifest, '../egg.move': source, '/etc/egg.move': source, 'a\\b.move': source }],
  [{ 'Move.toml': manifest, 'sources/egg.move': '('.repeat(100_000) }],
  [{ 'Move.toml': manifest, 'sources/egg.move': ' '.repeat(40_000_000) }],
  [{ 'Move.toml': manifest, 'sources/egg.move': source }, { password: 'x' }],
  [{ 'Move.toml': manifest, __proto__: source, 'sources/egg.move/egg.move': source, 'sources/': '' }],
  [Object.fromEntries(Array.from({ length: 12_000 }, (_, at) => [`sources/m${at}.move`, '']))],
  [{}],
];

/** Archives of source in base64, as they are, cut short, and with changed bytes. */
export async function makeArchives(): Promise<fc.Arbitrary<string>> {
  const archives = await Promise.all(contents.map(([files, options]) => zip(files, options)));
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });
  return fc
    .tuple(fc.constantFrom(...archives), changes, fc.nat(9), fc.nat())
    .map(([archive, changed, how, end]) => {
      const bytes = Buffer.from(how === 0 ? archive.subarray(0, end % archive.length) : archive);
      // The directory of an archive is at its end.
      if (how > 4 && bytes.length > 0) {
        for (const [at, byte] of changed) bytes[bytes.length - 1 - (at % Math.min(bytes.length, 600))] = byte;
      }
      return bytes.toString('base64');
    });
}

async function zip(
  files: Readonly<Record<string, string>>,
  options: ZipWriterAddDataOptions = {},
): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [path, text] of Object.entries(files)) {
    await writer.add(path, new Blob([text]).stream(), options);
  }
  return await writer.close();
}
