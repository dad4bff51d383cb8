import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { loadBuilder } from '../builder.ts';
import { readFrameworkPart } from '../sources.ts';
import type { BuildHost, OldCompiler } from './build-host.ts';
import { compilerFiles } from './compiler-files.ts';

interface Glue extends OldCompiler {
  default(options: { module_or_path: Uint8Array }): Promise<unknown>;
}

export const nodeHost: BuildHost = {
  readFrameworkPart,
  loadBuilder,
  async loadOldCompiler(version) {
    const { glue, wasm } = compilerFiles[version];
    const compiler: Glue = await import(pathToFileURL(glue).href);
    await compiler.default({ module_or_path: await readFile(wasm) });
    return compiler;
  },
};
