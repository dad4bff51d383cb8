import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../../lib/errors/index.ts';

const account = z.object({ address: z.string(), secretKey: z.string() });

/** `DATA_DIR/demo.json`: where the local network is and keys to play with, which exist nowhere else. */
export const demoFileSchema = z.object({
  network: z.literal('testnet'),
  rpcUrl: z.url(),
  /** The HTTP API; null until a gateway has started. */
  baseUrl: z.url().nullable(),
  faucetUrl: z.url(),
  blobStoreUrl: z.url(),
  /** A funded account for experiments. */
  owner: account,
  publishers: z.array(account.extend({ name: z.string(), serviceTypes: z.array(z.string()) })),
  packages: z.object({ registry: z.string() }),
  objects: z.object({ registry: z.string() }),
});
export type DemoFile = z.infer<typeof demoFileSchema>;

const pathIn = (dataDir: string) => join(dataDir, 'demo.json');

/** Undefined where there is none yet. */
export async function readDemoFile(dataDir: string): Promise<DemoFile | undefined> {
  const text = await readFile(pathIn(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return demoFileSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(
      `${pathIn(dataDir)} is not readable (${messageOf(error)}). Remove it and its folder to start anew.`,
    );
  }
}

/** Written whole or not at all. */
export async function writeDemoFile(dataDir: string, file: DemoFile): Promise<void> {
  const unfinished = `${pathIn(dataDir)}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, pathIn(dataDir));
}
