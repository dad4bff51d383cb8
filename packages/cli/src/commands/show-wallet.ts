import { type Network, unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import { type CoinUnit, coinUnits, describeAmount } from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { z } from 'zod';
import { parseResponse } from '../api.ts';
import { type Balance, readBalances } from '../balances.ts';
import { CommandFailedError, type Io, UsageError } from '../io.ts';
import { type Connection, createNodeCommand, type NodeOptions, withConnection } from '../network.ts';
import { addExamples, addressArgument, answer, createMarketplaceClient, pickNetwork } from '../options.ts';

const allowance = z.object({ key: z.string(), amount: z.string(), unlimited: z.boolean() });
const page = <Node extends z.ZodType>(node: Node) =>
  z.object({ edges: z.array(z.object({ node })), pageInfo: z.object({ hasNextPage: z.boolean() }) });

const walletContent = z.object({
  walletId: z.string(),
  owner: z.string(),
  identity: z.string(),
  paused: z.boolean(),
  createdMs: z.number(),
  grants: z.array(
    z.object({
      serviceType: z.string(),
      coin: z.string(),
      allowance: z.string().nullable(),
      pullCap: z.string().nullable(),
      listing: z.object({ state: z.string(), reason: z.string().nullable() }).nullable(),
    }),
  ),
  delegates: page(
    z.object({
      address: z.string(),
      expiresMs: z.number().nullable(),
      services: z.array(allowance),
      coins: z.array(allowance),
    }),
  ),
  caps: page(
    z.object({
      capId: z.string(),
      capKind: z.string(),
      recipient: z.string().nullable(),
      coin: z.string().nullable(),
      budget: z.string().nullable(),
      remaining: z.string().nullable(),
      revokedMs: z.number().nullable(),
      burnedMs: z.number().nullable(),
    }),
  ),
});
type WalletContent = z.infer<typeof walletContent>;

const document = `query Wallet($chain: Chain!, $walletId: String!) {
  wallet(chain: $chain, walletId: $walletId) {
    walletId owner identity paused createdMs
    grants { serviceType coin allowance pullCap listing { state reason } }
    delegates(first: 100) {
      edges { node { address expiresMs services { key amount unlimited } coins { key amount unlimited } } }
      pageInfo { hasNextPage }
    }
    caps(first: 100) {
      edges { node { capId capKind recipient coin budget remaining revokedMs burnedMs } }
      pageInfo { hasNextPage }
    }
  }
}`;

/** `wallet`: shows the content of a wallet, and the services, delegates and caps that may take from it. */
export function createWalletCommand(io: Io) {
  const command = createNodeCommand(
    'wallet',
    'Shows what a wallet holds, and what services, delegates and caps may take of it. With --owner: the wallets of an address.',
  )
    .argument('[wallet]', 'id of the wallet', addressArgument)
    .option('--owner <address>', 'list the wallets of this address', addressArgument)
    .action(async (walletId: string | undefined, options: NodeOptions & { owner?: string }) => {
      const { owner } = options;
      if ((walletId === undefined) === (owner === undefined)) {
        throw new UsageError('Give either the id of a wallet, or --owner with an address.');
      }
      if (walletId === undefined) return await listWallets(io, options, owner!);
      const readCoins = (client: ChainClient) => readBalances(client, walletId);
      await withConnection(io, options, readCoins, async ({ market, network, client }, held) => {
        const { balances } = held;
        const found = await readWallet(market, network, walletId);
        const units = await coinUnits(client).read([
          ...listCoins(found),
          ...balances.map(({ coin }) => coin),
        ]);
        const delegates = found.delegates.edges.map(({ node }) => node);
        const caps = found.caps.edges.map(({ node }) => node);
        const hasMoreHolders = found.delegates.pageInfo.hasNextPage || found.caps.pageInfo.hasNextPage;
        const truncated = hasMoreHolders || held.truncated;
        answer(io, options, { network, ...found, delegates, caps, balances, truncated }, () => [
          ...formatWallet({ ...found, balances }, units),
          ...(held.truncated ? ['more      the wallet has further coins'] : []),
          ...(hasMoreHolders ? ['more      the first 100 delegates and caps are shown'] : []),
        ]);
      });
    });
  return addExamples(command, 'wallet 0x7b...', 'wallet --owner 0x41... --json');
}

async function listWallets(io: Io, options: NodeOptions, owner: string): Promise<void> {
  const { api } = await createMarketplaceClient(io, options);
  const body = await api.getVault({ query: { owner, ...pickNetwork(options) } });
  const { wallets } = parseResponse(
    z.looseObject({ wallets: z.array(z.object({ walletId: z.string(), paused: z.boolean() })) }),
    body,
  );
  answer(io, options, body, () =>
    wallets.map(({ walletId, paused }) => `${walletId}${paused ? ', paused' : ''}`),
  );
}

async function readWallet(
  market: Connection['market'],
  network: Network,
  walletId: string,
): Promise<WalletContent> {
  const variables = { chain: network.toUpperCase(), walletId };
  const { wallet } = parseResponse(
    z.object({ wallet: walletContent.nullable() }),
    await market.query(document, variables),
  );
  if (wallet) return wallet;
  throw new CommandFailedError(
    `${market.baseUrl} has no wallet ${walletId} on ${network}. "wallet --owner" lists wallets.`,
  );
}

const listCoins = ({ grants, delegates, caps }: WalletContent): string[] => [
  ...grants.map(({ coin }) => coin),
  ...delegates.edges.flatMap(({ node }) => node.coins.map(({ key }) => key)),
  ...caps.edges.flatMap(({ node }) => node.coin ?? []),
];

function formatWallet(
  { walletId, owner, paused, balances, grants, delegates, caps }: WalletContent & { balances: Balance[] },
  units: ReadonlyMap<string, CoinUnit>,
): string[] {
  const sum = (coin: string, amount: string) =>
    `${describeAmount(coin, amount, units.get(coin))}, coin ${coin}`;
  const budget = ({ key, amount, unlimited }: z.infer<typeof allowance>) =>
    unlimited ? `any amount of ${key}` : sum(key, amount);
  return [
    `wallet    ${walletId}${paused ? ', paused: it pays only its owner' : ''}`,
    `owner     ${owner}`,
    ...(balances.length === 0
      ? ['balance   none']
      : balances.map(({ coin, amount }) => `balance   ${sum(coin, amount)}`)),
    ...grants.flatMap(({ serviceType, coin, allowance, pullCap, listing }) => {
      const most =
        allowance === null || BigInt(allowance) === unlimitedAllowance
          ? `any amount of ${coin}`
          : sum(coin, allowance);
      const pull = pullCap === null ? '' : ', also when another address calls it';
      const grant = `grant     ${serviceType} may take ${most}${pull}`;
      return listing?.reason == null ? [grant] : [grant, `          ${listing.reason}`];
    }),
    ...delegates.edges.map(({ node: { address, expiresMs, coins, services } }) => {
      const until = expiresMs === null ? '' : ` until ${new Date(expiresMs).toISOString()}`;
      const through = services.map(
        ({ key, amount, unlimited }) => `${key}${unlimited ? '' : ` up to ${amount} units`}`,
      );
      return [
        `delegate  ${address} may spend${until}: ${coins.map(budget).join('; ') || 'nothing'}`,
        ...(through.length === 0 ? [] : [`through ${through.join('; ')}`]),
      ].join(', ');
    }),
    ...caps.edges.map(({ node: { capId, capKind, recipient, coin, remaining, revokedMs, burnedMs } }) => {
      const gone = burnedMs !== null ? ', destroyed' : revokedMs !== null ? ', revoked' : '';
      const left = coin !== null && remaining !== null ? `, ${sum(coin, remaining)} left` : '';
      const holder = recipient === null ? '' : `, minted for ${recipient}`;
      return `cap       ${capId}, ${capKind.toLowerCase()}${left}${holder}${gone}`;
    }),
  ];
}
