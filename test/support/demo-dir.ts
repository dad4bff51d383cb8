import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { readDemoFile, writeDemoFile } from '../../services/demo/file.ts';
import { lockFolder } from '../../services/demo/network.ts';
import { eventually } from './eventually.ts';
import { createDataDir, ready, startService } from './service.ts';
import { listUnverifiedCode } from './unverified-code.ts';

const run = promisify(execFile);

/**
 * A data folder in which the service has run: its network has the demo, and its database has indexed it. Making one
 * takes three times as long as starting in a copy, so the test run makes one and copies it.
 */
export async function createDemoDir(): ReturnType<typeof createDataDir> {
  const made = await makeDemo();
  const data = await createDataDir();
  // `-a` preserves the owner of the database's files. If the tests run as root, that is another user.
  await run('cp', ['-a', `${made}/.`, data.dir]);
  return data;
}

/** Makes the demo once for all processes. The first caller makes it, and the others wait. */
async function makeDemo(): Promise<string> {
  const folder = inject('demoFolder');
  const made = join(folder, 'made');
  if (existsSync(made)) return made;
  const lock = await eventually(() => lockFolder(folder), { intervalMs: 200 });
  try {
    if (!existsSync(made)) await rename(await runOnce(folder), made);
  } finally {
    lock.release();
  }
  return made;
}

async function runOnce(folder: string): Promise<string> {
  const dir = await mkdtemp(join(folder, 'making-'));
  await run('chmod', ['755', dir]);
  const service = startService(dir, ['localnet', 'indexer', 'gateway']);
  try {
    const { baseUrl } = await ready(service, dir);
    await eventually(() => requireVerdicts(baseUrl), { intervalMs: 200 });
  } finally {
    service.process.kill('SIGTERM');
  }
  const code = await service.exited;
  if (code !== 0) throw new Error(`ended with ${code}:\n${service.output()}`);
  // Each copy has ports of its own.
  for (const ports of ['ports', 'postgres/port'])
    await rm(join(dir, ports), { recursive: true, force: true });
  await writeDemoFile(dir, { ...(await readDemoFile(dir))!, baseUrl: null });
  return dir;
}

/** Throws until the source of all code that the adaptors can reach is verified, so that no copy offers it again. */
async function requireVerdicts(baseUrl: string): Promise<void> {
  const left = await listUnverifiedCode(baseUrl);
  if (left.length > 0) throw new Error(`not verified: ${left.join(', ')}`);
}
