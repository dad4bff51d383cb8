import { fileURLToPath } from 'node:url';

const newest = import.meta.resolve('@zktx.io/sui-move-builder/full');
const older = import.meta.resolve('@zktx.io/sui-move-builder/verification');

const listFiles = (entry: string, folder: string) => {
  const find = (name: string) => fileURLToPath(new URL(`${folder}${name}`, entry));
  return { glue: find('sui_move_wasm.js'), wasm: find('sui_move_wasm_bg.wasm') };
};

/** Paths of the compilers in WebAssembly and of the scripts that load them, by the version of Sui. */
export const compilerFiles = {
  '1.71.1': listFiles(newest, ''),
  '1.58.3': listFiles(older, 'v6/v7source-2024/'),
  '1.26.2': listFiles(older, 'v6/classic/'),
};
