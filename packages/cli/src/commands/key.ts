import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { type Marketplace, MarketplaceError } from '@adaptor-marketplace/sdk';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Command } from 'commander';
import { z } from 'zod';
import { parseResponse } from '../api.ts';
import { describeSui, findFaucetUrl, readBalance, refuseMainnet, takeCoins } from '../coins.ts';
import { CommandFailedError, explainFileError, type Io, requireWritable } from '../io.ts';
import { chooseServedNetwork, withConnection } from '../network.ts';
import {
  addExamples,
  addressArgument,
  answer,
  baseArgument,
  createApiCommand,
  createMarketplaceClient,
} from '../options.ts';
import { addKeyOption, createSigningCommand, readKey, type SigningOptions } from '../signing.ts';

/** `new-key`: creates a key to sign with. */
export function createNewKeyCommand(io: Io) {
  const command = new Command('new-key')
    .description(
      'Creates an Ed25519 key, writes it to a file that only you can read, and prints its address.',
    )
    .argument('<file>', 'new file for the key; an existing file is never overwritten')
    .option('--faucet <url>', 'request coins for it from this faucet of a test network', baseArgument)
    .option('--json', 'print the result as JSON, and errors as problem+json')
    .action(async (file: string, options: { json?: boolean; faucet?: string }) => {
      const key = new Ed25519Keypair();
      await requireWritable(file);
      await writeFile(file, `${key.getSecretKey()}\n`, { mode: 0o600, flag: 'wx' }).catch(
        async (error: NodeJS.ErrnoException) => {
          throw new CommandFailedError(
            error.code === 'EEXIST' ? await describeExisting(file) : explainFileError(file, error),
          );
        },
      );
      const address = key.toSuiAddress();
      if (options.faucet) await fund(options.faucet, address, file);
      answer(io, options, { address, file }, () => [address]);
    });
  return addExamples(command, 'new-key my.key', 'new-key my.key --faucet http://127.0.0.1:9123');
}

async function describeExisting(file: string): Promise<string> {
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
    throw new CommandFailedError(
      `The key of ${address} is in ${file}, but it has no coins. ${getErrorMessage(error)}`,
    );
  });
}

interface Options extends SigningOptions {
  faucet?: string;
}

/** `fund`: requests SUI for gas from a faucet. */
export function createFundCommand(io: Io) {
  const command = addKeyOption(
    createApiCommand(
      'fund',
      'Requests SUI for an address from the faucet of the local network or of testnet.',
    ),
  )
    .argument('[address]', 'recipient (default: the address of the key)', addressArgument)
    .option('--faucet <url>', 'url of the faucet (default: the one of the network)', baseArgument)
    .action(async (given: string | undefined, options: Options) => {
      if (options.network === 'mainnet') refuseMainnet(given);
      const address = given ?? (await readKey(options.keyFile, io.env)).toSuiAddress();
      const faucet = options.faucet ?? (await chooseFaucet(io, address, options));
      const amount = await takeCoins(faucet, address);
      answer(io, options, { address, amount: String(amount), faucet }, () => [
        `${address} got ${describeSui(amount)} from ${faucet}`,
      ]);
    });
  return addExamples(command, 'fund', 'fund 0x4179... --faucet http://127.0.0.1:9123');
}

async function chooseFaucet(io: Io, address: string, options: Options): Promise<string> {
  const market = await createMarketplaceClient(io, options);
  const chain = await chooseServedNetwork(market, options.network);
  return await findFaucetUrl(io, address, { marketplace: market.baseUrl, chain });
}

const vaultAnswer = z.object({ wallets: z.array(z.object({ walletId: z.string(), paused: z.boolean() })) });
const delegationsAnswer = z.object({
  active: z.array(z.object({ walletId: z.string(), capId: z.string(), summary: z.string() })),
});

/** `whoami`: shows the signer's address, network, balance and wallets. */
export function createWhoamiCommand(io: Io) {
  const command = createSigningCommand(
    'whoami',
    'Shows the address of the key, its network and node, its balance and its wallets.',
  ).action(async (options: SigningOptions) => {
    const address = (await readKey(options.keyFile, io.env)).toSuiAddress();
    const found = await withConnection(
      io,
      options,
      (client: ChainClient) => readBalance(client, address),
      async ({ market, network, chainId, node }, balance) => {
        const [owns, held] = await Promise.all([
          readOwnedWallets(market, network, address),
          readHeldCaps(market, network, address),
        ]);
        return {
          address,
          network,
          chainId,
          marketplace: market.baseUrl,
          node: { url: node.url, from: node.from },
          balance: String(balance),
          owns,
          caps: held,
        };
      },
    );
    answer(io, options, found, () => [
      `address      ${found.address}`,
      `network      ${found.network}, chain ${found.chainId}`,
      `marketplace  ${found.marketplace}`,
      `node         ${found.node.url}  (${found.node.from})`,
      `balance      ${describeSui(BigInt(found.balance))}`,
      ...formatWallets(
        'owns',
        found.owns,
        ({ walletId, paused }) => `${walletId}${paused ? ', paused' : ''}`,
      ),
      ...formatWallets('spends from', found.caps, ({ walletId, capId }) => `${walletId}, by cap ${capId}`),
    ]);
  });
  return addExamples(command, 'whoami', 'whoami --key-file my.key --json');
}

/** @param wallets null if the marketplace does not index wallets */
function formatWallets<Wallet>(
  label: string,
  wallets: readonly Wallet[] | null,
  inWords: (wallet: Wallet) => string,
): string[] {
  const lines = wallets === null ? ['not known to this marketplace'] : wallets.map(inWords);
  return (lines.length === 0 ? ['no wallet'] : lines).map((line) => `${label.padEnd(12)} ${line}`);
}

async function readOwnedWallets({ api }: Marketplace, network: Network, owner: string) {
  const body = await readWalletAnswer(() => api.getVault({ query: { network, owner } }));
  return body === undefined ? null : body === nothing ? [] : parseResponse(vaultAnswer, body).wallets;
}

async function readHeldCaps({ api }: Marketplace, network: Network, address: string) {
  const body = await readWalletAnswer(() => api.listDelegations({ query: { network, address } }));
  return body === undefined ? null : body === nothing ? [] : parseResponse(delegationsAnswer, body).active;
}

const nothing = Symbol('nothing');

/**
 * Sends a request about wallets and returns the body of its response. Returns `nothing` for an address without a
 * wallet, and undefined if the marketplace does not index wallets.
 */
async function readWalletAnswer(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof MarketplaceError)) throw error;
    if (error.code === 'wallet_not_found') return nothing;
    if (error.code === 'not_configured') return undefined;
    throw error;
  }
}
