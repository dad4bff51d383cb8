/** Fails if `db/schema` declares something that `db/migrations` does not create: `npm run check migrations`. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const copy = mkdtempSync(join(tmpdir(), 'migrations-'));
try {
  cpSync(join(root, 'db/migrations'), copy, { recursive: true });
  const before = readdirSync(copy).length;
  // drizzle-kit takes only paths relative to the folder it runs in.
  const out = relative(root, copy);
  const options = ['generate', '--dialect', 'postgresql', '--schema', './db/schema/index.ts', '--out', out];
  execFileSync(join(root, 'node_modules/.bin/drizzle-kit'), options, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (readdirSync(copy).length !== before) {
    console.error('db/schema has changes without a migration: npm run migration -- --name what_changed');
    process.exitCode = 1;
  }
} finally {
  rmSync(copy, { recursive: true });
}
