import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { frameworkParts, readFrameworkPart } from '@adaptor-marketplace/move-toolchain/sources';
import { compilerFiles } from '@adaptor-marketplace/move-toolchain/verify/compiler-files';
import type { Plugin } from 'esbuild';

const compress = promisify(gzip);

/**
 * Provides the files of a build in the browser: compilers and the framework's sources, as urls of files that are compressed
 * once, and the scripts that load the older compilers.
 */
export const buildFiles: Plugin = {
  name: 'build-files',
  setup(build) {
    build.onResolve({ filter: /^build:/ }, ({ path }) => {
      const [kind, version] = path.slice('build:'.length).split('/');
      if (kind === 'glue') return { path: compilerFiles[version as keyof typeof compilerFiles].glue };
      return {
        path: kind === 'wasm' ? `compiler-${version!.replaceAll('.', '-')}.gz` : 'framework.gz',
        namespace: kind!,
        pluginData: version,
      };
    });
    build.onLoad({ filter: /.*/, namespace: 'wasm' }, async ({ pluginData }) => {
      const { wasm } = compilerFiles[pluginData as keyof typeof compilerFiles];
      return { contents: await compress(await readFile(wasm)), loader: 'file' };
    });
    build.onLoad({ filter: /.*/, namespace: 'framework' }, async () => {
      const parts = await Promise.all(
        frameworkParts.map(async (part) => [part, await readFrameworkPart(part)] as const),
      );
      return { contents: await compress(JSON.stringify(Object.fromEntries(parts))), loader: 'file' };
    });
  },
};
