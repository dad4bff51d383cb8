import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Command } from 'commander';
import { baseArgument } from '../arguments.ts';
import { type Io, Refusal } from '../io.ts';
import { takeCoins } from '../network/faucet.ts';
import { answer, withExamples } from '../options.ts';
import { fileFailure, requireWritable } from '../output/file-failure.ts';

/** A key to publish with, where there is none yet. */
export function newKeyCommand(io: Io) {
  const command = new Command('new-key')
    .description('Makes an Ed25519 key, writes it to a file that only you can read, and prints its address.')
    .argument('<file>', 'where to write it; never over another file')
    .option('--faucet <url>', 'take coins for it from this faucet of a test network', baseArgument)
    .option('--json', 'print the answer as JSON, and refusals as problem+json')
    .action(async (file: string, options: { json?: boolean; faucet?: string }) => {
      const key = new Ed25519Keypair();
      await requireWritable(file);
      await writeFile(file, `${key.getSecretKey()}\n`, { mode: 0o600, flag: 'wx' }).catch(
        async (error: NodeJS.ErrnoException) => {
          throw new Refusal(error.code === 'EEXIST' ? await existing(file) : fileFailure(file, error));
        },
      );
      const address = key.toSuiAddress();
      if (options.faucet) await fund(options.faucet, address, file);
      answer(io, options, { address, file }, () => [address]);
    });
  return withExamples(command, 'new-key my.key', 'new-key my.key --faucet http://127.0.0.1:9123');
}

async function existing(file: string): Promise<string> {
  if ((await stat(file).catch(() => undefined))?.isDirectory()) {
    return `${file} is a folder. Expected the name of a new file, for example ${join(file, 'my.key')}`;
  }
  return (
    `${file} exists already, and a key is never overwritten. Give another name, or use the key in it: ` +
    `export SUI_SECRET_KEY_FILE=${file}`
  );
}

async function fund(faucet: string, address: string, file: string): Promise<void> {
  await takeCoins(faucet, address).catch((error: unknown) => {
    throw new Refusal(`The key of ${address} is in ${file}, but it has no coins. ${messageOf(error)}`);
  });
}
