import { posix } from 'node:path';
import { Manifest } from '../manifest.ts';
import type { SourceFolder } from './read-folder.ts';
import { type GitFolders, nameGitSource } from './source.ts';
import { writeZip } from './zip.ts';

/**
 * Packs the files of a folder into a zip file that is complete: a Move.toml that names a git repository names the folder of
 * the fetched package in its place.
 */
export async function packSourceFolder({
  files,
  gitFolders,
}: SourceFolder): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Map<string, Uint8Array>();
  for (const [path, content] of files)
    packed.set(path, posix.basename(path) === 'Move.toml' ? linkLocally(path, content, gitFolders) : content);
  return await writeZip(packed);
}

function linkLocally(path: string, content: Uint8Array, gitFolders: GitFolders): Uint8Array {
  const manifest = new Manifest({ 'Move.toml': new TextDecoder().decode(content) });
  const folders = new Map<string, string>();
  for (const [name, source] of manifest.gitDependencies) {
    const folder = gitFolders.get(nameGitSource(source));
    if (folder !== undefined) folders.set(name, posix.relative(posix.dirname(path), folder));
  }
  return folders.size === 0 ? content : new TextEncoder().encode(manifest.withLocal(folders));
}
