import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { compileSources, MoveCompileError } from '../compile.ts';
import { packageName, placeholderId } from '../sources.ts';
import type { BuildMessage, BuildRequest } from './build.ts';

// The process of `buildSource`.

/** Version of Sui that the compiler of `@zktx.io/sui-move-builder/full` is of. */
const compiler = '1.71.1';

process.once('disconnect', () => process.exit());
process.once('message', async (request: BuildRequest) => {
  const watch = new Worker(new URL(import.meta.url.replace(/build-apart/, 'watch-bounds')));
  watch.postMessage(request.bounds);
  await once(watch, 'message');
  process.send!(await build(request));
});

async function build({ folder, packages }: BuildRequest): Promise<BuildMessage> {
  try {
    const { modules } = await compileSources(packages.get(folder)!, {
      base: folder,
      read: async (dir) => {
        const files = packages.get(dir);
        if (files) return files;
        throw new MoveCompileError(`The source has no package in ${dir}.`);
      },
      allowUnpublished: true,
      uncached: true,
    });
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
