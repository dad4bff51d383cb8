import { type Entry, Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } from '@zip.js/zip.js';
import { checkPath, isBuildInput, SourceRefusedError, sourceLimits, tooLarge } from './source.ts';

/** Entries after which other work of the process has a turn. */
const entriesAtOnce = 100;

/**
 * Reads the build inputs in a zip archive, in memory. Files that are not build inputs are not unpacked.
 * @throws SourceRefusedError with the reason, for an archive beyond the limits, links, encrypted files, and two files of
 * the same name
 */
export async function readZip(archive: Uint8Array): Promise<Map<string, Uint8Array>> {
  if (archive.length > sourceLimits.archiveBytes) {
    throw new SourceRefusedError(
      `The archive has ${archive.length} bytes. Offer at most ${sourceLimits.archiveBytes / 1024 / 1024} MiB: the manifests and Move files are enough.`,
    );
  }
  const reader = new ZipReader(new Uint8ArrayReader(archive), {
    useWebWorkers: false,
    // Other programs must find the same files in it.
    strictness: 'strict',
    filenameValidation: 'balanced',
    checkSignature: true,
    checkOverlappingEntry: true,
  });
  const files = new Map<string, Uint8Array>();
  let count = 0;
  let bytesLeft = sourceLimits.bytes;
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      count++;
      if (count > sourceLimits.files) {
        throw new SourceRefusedError(`The archive has more than ${sourceLimits.files} files. Offer fewer.`);
      }
      // The directory is in memory, so that reading it never waits for anything.
      if (count % entriesAtOnce === 0) await new Promise((resolve) => setTimeout(resolve));
      checkEntry(entry);
      const { filename } = entry;
      if (entry.directory || !isBuildInput(filename)) continue;
      if (files.has(filename)) {
        throw new SourceRefusedError(
          `The archive has two files ${JSON.stringify(filename)}. Remove one of them.`,
        );
      }
      if (files.size >= sourceLimits.inputs) {
        throw new SourceRefusedError(
          `The archive has more than ${sourceLimits.inputs} manifests and Move files.`,
        );
      }
      const sink = new BoundedSink(Math.min(sourceLimits.fileBytes, bytesLeft));
      await entry.getData(sink.stream);
      const content = sink.read();
      bytesLeft -= content.length;
      files.set(filename, content);
    }
  } catch (error) {
    if (error instanceof SourceRefusedError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SourceRefusedError(`The archive cannot be read: ${reason}. Offer a zip file of the folder.`);
  } finally {
    await reader.close();
  }
  return files;
}

/** Writes a zip archive with these files, by path, in memory. */
export async function writeZip(files: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const [path, content] of files) await writer.add(path, new Uint8ArrayReader(content));
  return Uint8Array.from(await writer.close());
}

const fileType = 0o170000;
const regularFile = 0o100000;
const folder = 0o040000;

function checkEntry({ filename, encrypted, externalFileAttributes, symlink, directory }: Entry): void {
  checkPath(filename);
  const shown = JSON.stringify(filename);
  // Systems other than Unix leave this at zero.
  const type = (externalFileAttributes >>> 16) & fileType;
  if (symlink || (type !== 0 && type !== regularFile && type !== folder)) {
    throw new SourceRefusedError(`${shown} in the archive is a link. Put the file itself in its place.`);
  }
  // Programs that unpack archives go by the slash.
  if (directory !== filename.endsWith('/')) {
    throw new SourceRefusedError(`${shown} in the archive is a folder with the name of a file. Remove it.`);
  }
  if (encrypted)
    throw new SourceRefusedError(`${shown} in the archive is encrypted. Offer it without a password.`);
}

/** Collects what is unpacked, up to a number of bytes, whatever size the archive says. */
class BoundedSink {
  readonly stream: WritableStream<Uint8Array>;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(bytesMax: number) {
    this.stream = new WritableStream({
      write: (chunk) => {
        this.#length += chunk.length;
        if (this.#length > bytesMax) throw tooLarge();
        this.#chunks.push(Uint8Array.from(chunk));
      },
    });
  }

  read(): Uint8Array {
    const content = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      content.set(chunk, at);
      at += chunk.length;
    }
    return content;
  }
}
