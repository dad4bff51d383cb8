import { join } from 'node:path';
import { compileTogether } from '@adaptor-marketplace/move-toolchain/compile-together';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { foldersOf } from './deploy-adaptors.ts';
import { protocolFolders } from './protocols/publish-all.ts';

const folders = [
  ...['wallet', 'registry', 'rules', 'agents', 'escrow', 'protocols/coins'],
  ...protocolFolders.map((folder) => `protocols/${folder}`),
  ...Object.values(foldersOf).flatMap((names) => names.map((name) => `adaptors/${name}`)),
];

/** Compiles all packages that the demo publishes, unless they were compiled before. */
export async function compilePackages(): Promise<void> {
  await compileTogether(folders.map((folder) => join(moveDir, folder)));
}
