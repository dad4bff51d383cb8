import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as builder from '@zktx.io/sui-move-builder/full';

export { MoveCompileError } from './compile-error.ts';
export type { PackageFiles } from './package-files.ts';

const entry = import.meta.resolve('@zktx.io/sui-move-builder/full');

/** Version of the compiler's package, which pins the compiler. */
export const builderVersion: string = JSON.parse(
  readFileSync(new URL('../../package.json', entry), 'utf8'),
).version;

let ready: Promise<typeof builder> | undefined;

/** The compiler and test VM in WebAssembly, loaded on first use (some 60 ms). */
export function loadBuilder(): Promise<typeof builder> {
  ready ??= (async () => {
    const wasm = await readFile(new URL('sui_move_wasm_bg.wasm', entry));
    await builder.initMovePackageBuilder({ wasm });
    return builder;
  })();
  return ready;
}
