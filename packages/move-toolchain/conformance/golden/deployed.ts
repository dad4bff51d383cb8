import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Paths of deployed modules by the ids of their packages. */
export type Deployed = ReadonlyMap<string, string[]>;

/** A package id in a path: of one name, or of a folder of two digits and one of the others. */
const packageId = /0x([0-9a-f]{2})\/?([0-9a-f]{62})(?![0-9a-f])/;

/** Finds the `.mv` files below a folder. Each has the id of its package in its path. */
export async function findDeployed(folder: string): Promise<Deployed> {
  const found = new Map<string, string[]>();
  for (const path of await readdir(folder, { recursive: true })) {
    const [, first, others] = (path.endsWith('.mv') && packageId.exec(path)) || [];
    if (first === undefined) continue;
    const id = `0x${first}${others}`;
    found.set(id, [...(found.get(id) ?? []), join(folder, path)]);
  }
  return found;
}

/** @throws Error if the folder has no module of the package */
export async function readDeployed(deployed: Deployed, id: string): Promise<Uint8Array[]> {
  const paths = deployed.get(id);
  if (paths) return Promise.all(paths.map((path) => readFile(path)));
  throw new Error(`There is no .mv file of ${id}. Put its modules into a folder with that name.`);
}
