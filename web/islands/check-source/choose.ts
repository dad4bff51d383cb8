import {
  isBuildInput,
  SourceRefusedError,
  sourceLimits,
} from '@adaptor-marketplace/move-toolchain/verify/source';
import { askApi } from '../api/ask.ts';
import type { ChosenSource } from './messages.ts';

/** The marketplace's own result for a package, and the files that it built. */
export interface HeldSource {
  packageId: string;
  verdict: string;
  sourceHash: string | null;
  compiler: string | null;
  folder: string | null;
  files: readonly { path: string; bytes: number }[];
}

interface Listing {
  network: string;
  service: string;
  publisher: string;
}

const buildPath = ({ network, service, publisher }: Listing, more: Record<string, string>) =>
  `/api/adaptors/${encodeURIComponent(service)}/source?${new URLSearchParams({ network, publisher, ...more })}`;

export const readHeld = (listing: Listing): Promise<HeldSource> =>
  askApi<HeldSource>(buildPath(listing, { include: 'files' }));

/** Reads the texts of the source that the marketplace holds, one after the other. */
export async function readHeldFiles(
  listing: Listing,
  { files }: HeldSource,
  report: (step: string) => void,
): Promise<ChosenSource> {
  const contents = new Map<string, Uint8Array>();
  for (const { path } of files) {
    report(`Reading the source: ${contents.size + 1} of ${files.length} files…`);
    const { text } = await askApi<{ text: string }>(buildPath(listing, { file: path }));
    contents.set(path, new TextEncoder().encode(text));
  }
  return { files: contents };
}

/** Reads what the reader chose. Undefined if it is nothing. @throws SourceRefusedError */
export async function readChosen(
  zip: File | null,
  directory: readonly File[],
): Promise<ChosenSource | undefined> {
  if (zip && zip.size > 0) {
    if (zip.size <= sourceLimits.archiveBytes) return { zip };
    throw new SourceRefusedError(
      `The zip file is too large. It has at most ${sourceLimits.archiveBytes / 1024 / 1024} MiB.`,
    );
  }
  // The browser names the chosen folder before each path.
  const inputs = directory
    .map((file) => ({ file, path: file.webkitRelativePath.replace(/^[^/]*\//, '') }))
    .filter(({ path }) => isBuildInput(path));
  if (directory.every(({ size }) => size === 0)) return undefined;
  const bytes = inputs.reduce((sum, { file }) => sum + file.size, 0);
  if (inputs.length > sourceLimits.inputs || bytes > sourceLimits.bytes) {
    throw new SourceRefusedError(
      `The folder has more than ${sourceLimits.inputs} manifests and Move files, or more than ${sourceLimits.bytes / 1024 / 1024} MiB of them. Choose the folder of the package.`,
    );
  }
  const files = new Map<string, Uint8Array>();
  for (const { file, path } of inputs) files.set(path, await file.bytes());
  return { files };
}
