import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Files of a later version. */
interface LaterVersion {
  folder: string;
  remove(): Promise<void>;
}

/** Copies the migrations of this version, and adds one that creates the table `later`. */
export async function makeLaterMigrations(): Promise<LaterVersion> {
  const later = await copyToTemporary(join(root, 'db/migrations'));
  await addMigration(later.folder);
  return later;
}

/** Copies this version of the service, and adds a migration that creates the table `later`. */
export async function makeLaterVersion(): Promise<LaterVersion> {
  const later = await copyToTemporary(root);
  await symlink(join(root, 'node_modules'), join(later.folder, 'node_modules'));
  await addMigration(join(later.folder, 'db/migrations'));
  return later;
}

const left = new Set(['.data', '.git', 'node_modules']);

async function copyToTemporary(source: string): Promise<LaterVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-later-'));
  await cp(source, folder, { recursive: true, filter: (path) => !left.has(basename(path)) });
  return { folder, remove: () => rm(folder, { recursive: true }) };
}

async function addMigration(folder: string): Promise<void> {
  const file = join(folder, 'meta/_journal.json');
  const text = await readFile(file, 'utf8');
  const journal: { entries: { idx: number; when: number; tag: string }[] } = JSON.parse(text);
  const last = journal.entries.at(-1)!;
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: 'later' });
  await writeFile(file, JSON.stringify(journal));
  await writeFile(join(folder, 'later.sql'), 'create table later (id int)');
}
