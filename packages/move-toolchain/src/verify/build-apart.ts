import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { MoveCompileError } from '../compile-error.ts';
import { packageName, placeholderId } from '../sources.ts';
import type { BuildMessage, BuildRequest } from './build.ts';
import { compilers } from './compilers.ts';

// The process of `buildSource`.

process.once('disconnect', () => process.exit());
process.once('message', async (request: BuildRequest) => {
  const watch = new Worker(new URL(import.meta.url.replace(/build-apart/, 'watch-bounds')));
  watch.postMessage(request.bounds);
  await once(watch, 'message');
  process.send!(await build(request));
});

async function build(request: BuildRequest): Promise<BuildMessage> {
  const { compiler, folder, packages } = request;
  try {
    const modules = await compilers[compiler](request);
    const dependencies = [...packages]
      .filter(([dir]) => dir !== folder)
      .map(([, files]) => packageName(files))
      .map((name) => ({ name, placeholder: placeholderId(name) }));
    return { compiler, modules, dependencies };
  } catch (error) {
    if (error instanceof MoveCompileError) return { reason: error.message };
    throw error;
  }
}
