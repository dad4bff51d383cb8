import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where `createDemoDir` keeps the demo that it copies; empty until a test needs it. */
    demoFolder: string;
  }
}

/** One demo for the whole run. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-demo-'));
  // Run as root, the database server has a user of its own, which must get at its data.
  await chmod(folder, 0o755);
  project.provide('demoFolder', folder);
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
