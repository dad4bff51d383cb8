import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * Starts the service in an empty folder as a newcomer does, reads the catalog and its page, and ends it. CI runs this on
 * the platforms that do not run all tests. It needs nothing but what `npm ci` installs.
 */
const main = join(import.meta.dirname, '../../services/main.ts');
const dir = await mkdtemp(join(tmpdir(), 'first-start-'));
const service = spawn(process.execPath, [main], {
  cwd: dir,
  env: { ...process.env, DATA_DIR: join(dir, 'data'), PORT: '0', LOCALNET_PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const exited = once(service, 'exit');
let site: string | undefined;
for await (const line of createInterface(service.stdout)) {
  console.log(line);
  site ??= /^Site +(\S+)/.exec(line)?.[1];
  if (line.startsWith('Ready.')) break;
}
try {
  if (site === undefined) throw new Error('The service ended before it was ready.');
  const [catalog, page] = await Promise.all([fetch(new URL('/api/adaptors', site)), fetch(site)]);
  const { count } = (await catalog.json()) as { count: number };
  const html = await page.text();
  if (!(count > 0) || !html.includes('Reef Vault')) throw new Error(`The catalog has ${count} adaptors.`);
  console.log(`The catalog has ${count} adaptors, and its page names them.`);
} finally {
  service.kill('SIGTERM');
  await exited;
  await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
}
