import { glob } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

export const moveDir = resolve(import.meta.dirname, '../../move');

/** Folders of our own packages in `move/`, by path; the framework, which is no package of ours, is not one. */
export async function listPackages(): Promise<string[]> {
  const dirs: string[] = [];
  for await (const manifest of glob('**/Move.toml', { cwd: moveDir, exclude: ['framework/*-*'] })) {
    dirs.push(dirname(join(moveDir, manifest)));
  }
  return dirs.sort();
}

/** The packages in a folder of that name; all of them without one. */
export async function findPackages(name?: string): Promise<string[]> {
  const dirs = await listPackages();
  return name === undefined ? dirs : dirs.filter((dir) => basename(dir) === name);
}
