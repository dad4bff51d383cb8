import { join } from 'node:path';
import { build } from 'esbuild';
import type { WalletOptions } from './in-browser.ts';

let bundled: Promise<string> | undefined;

/** A script for `addInitScript` that adds a wallet to a page. */
export async function walletScript(options: WalletOptions): Promise<string> {
  bundled ??= bundle();
  return `{const walletOptions=${JSON.stringify(options)};${await bundled}}`;
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'in-browser.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2024',
    minify: true,
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
}
