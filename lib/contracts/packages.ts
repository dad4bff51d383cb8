import { glob } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

export const moveDir = resolve(import.meta.dirname, '../../move');

/** Folders with a Move package of our own, by path; the two packages of the framework are not among them. */
export async function listPackages(root: string = moveDir): Promise<string[]> {
  const dirs: string[] = [];
  for await (const manifest of glob('**/Move.toml', { cwd: root, exclude: ['framework/*-*'] })) {
    dirs.push(dirname(join(root, manifest)));
  }
  return dirs.sort();
}
