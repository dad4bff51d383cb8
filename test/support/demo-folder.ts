import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the demo that `createDemoDir` copies. It is empty until a test needs the demo. */
    demoFolder: string;
  }
}

/** Provides one demo folder for the whole test run. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-demo-'));
  // If the tests run as root, the database server runs as another user, which must reach its data.
  await chmod(folder, 0o755);
  project.provide('demoFolder', folder);
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
