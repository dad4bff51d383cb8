import { writeFile } from 'node:fs/promises';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Command } from 'commander';
import { messageOf } from '../../lib/errors/index.ts';
import { type Io, Refusal } from '../io.ts';
import { answer } from '../options.ts';

/** A key to publish with, where there is none yet. */
export function newKeyCommand(io: Io) {
  return new Command('new-key')
    .description('Makes an Ed25519 key, keeps it in a file that only you can read, and prints its address.')
    .argument('<file>', 'where to keep it; never one that is there already')
    .option('--faucet <url>', 'take coins for it from this faucet of a test network')
    .option('--json', 'print the answer as JSON')
    .action(async (file: string, options: { json?: boolean; faucet?: string }) => {
      const key = new Ed25519Keypair();
      await writeFile(file, `${key.getSecretKey()}\n`, { mode: 0o600, flag: 'wx' }).catch(
        (error: unknown) => {
          throw new Refusal(`The key was not kept: ${messageOf(error)}`);
        },
      );
      const address = key.toSuiAddress();
      if (options.faucet) await takeCoins(options.faucet, address);
      answer(io, options, { address, file }, () => [address]);
    });
}

async function takeCoins(host: string, recipient: string): Promise<void> {
  await requestSuiFromFaucetV2({ host, recipient }).catch((error: unknown) => {
    throw new Refusal(`The key is kept, but the faucet ${host} gave no coins: ${messageOf(error)}`);
  });
}
