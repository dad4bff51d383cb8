import { join } from 'node:path';
import { build } from 'esbuild';
import type { WalletOptions } from './in-browser.ts';

/** A script for `addInitScript` that adds a wallet to a page. */
export async function walletScript(options: WalletOptions): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'in-browser.ts')],
    define: { walletOptions: JSON.stringify(options) },
    ...{ bundle: true, format: 'iife', target: 'es2024', minify: true, write: false, logLevel: 'silent' },
  });
  return outputFiles[0]!.text;
}
