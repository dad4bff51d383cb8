import { z } from 'zod';
import type { Api } from '../api/client.ts';
import { ApiProblem } from '../api/client.ts';
import { read } from '../api/read.ts';
import type { Io } from '../io.ts';
import { balanceOf, suiInWords } from '../network/balance.ts';
import { withConnection } from '../network/connect.ts';
import { answer, withExamples } from '../options.ts';
import { readKey } from '../signing/key.ts';
import { type SigningOptions, signingCommand } from '../signing/session.ts';

const vaultAnswer = z.object({ wallets: z.array(z.object({ walletId: z.string(), paused: z.boolean() })) });
const delegationsAnswer = z.object({
  active: z.array(z.object({ walletId: z.string(), capId: z.string(), summary: z.string() })),
});

/** Who signs, where, and for which wallets. */
export function whoamiCommand(io: Io) {
  const command = signingCommand(
    'whoami',
    'The address of the key, the network and node that it signs for, its SUI, and its wallets.',
  ).action(async (options: SigningOptions) => {
    const address = (await readKey(options.keyFile, io.env)).toSuiAddress();
    const found = await withConnection(io, options, async ({ api, network, chainId, node, client }) => ({
      address,
      network,
      chainId,
      marketplace: api.url,
      node: { url: node.url, from: node.from },
      balance: String(await balanceOf(client, address)),
      owns: await owned(api, network, address),
      caps: await caps(api, network, address),
    }));
    answer(io, options, found, () => [
      `address      ${found.address}`,
      `network      ${found.network}, chain ${found.chainId}`,
      `marketplace  ${found.marketplace}`,
      `node         ${found.node.url}  (${found.node.from})`,
      `balance      ${suiInWords(BigInt(found.balance))}`,
      ...walletLines('owns', found.owns, ({ walletId, paused }) => `${walletId}${paused ? ', paused' : ''}`),
      ...walletLines('spends from', found.caps, ({ walletId, capId }) => `${walletId}, by cap ${capId}`),
    ]);
  });
  return withExamples(command, 'whoami', 'whoami --key-file my.key --json');
}

/** @param wallets null where the marketplace does not follow them */
function walletLines<Wallet>(
  label: string,
  wallets: readonly Wallet[] | null,
  inWords: (wallet: Wallet) => string,
): string[] {
  const lines = wallets === null ? ['not known to this marketplace'] : wallets.map(inWords);
  return (lines.length === 0 ? ['no wallet'] : lines).map((line) => `${label.padEnd(12)} ${line}`);
}

async function owned(api: Api, network: string, owner: string) {
  const body = await known(() => api.get('/api/vault', { network, owner }));
  return body === undefined ? null : body === nothing ? [] : read(vaultAnswer, body).wallets;
}

async function caps(api: Api, network: string, address: string) {
  const body = await known(() => api.get('/api/delegations', { network, address }));
  return body === undefined ? null : body === nothing ? [] : read(delegationsAnswer, body).active;
}

const nothing = Symbol('nothing');

/** An answer's body; `nothing` for an address without a wallet, undefined where the marketplace follows no wallets. */
async function known(ask: () => Promise<{ body: unknown }>): Promise<unknown> {
  try {
    return (await ask()).body;
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    if (error.problem.code === 'wallet_not_found') return nothing;
    if (error.problem.code === 'not_configured') return undefined;
    throw error;
  }
}
