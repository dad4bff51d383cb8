import { expect, test } from 'vitest';
import { render } from '../components/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { walletPage } from './wallet.ts';
import type { Grant } from './wallet-allowed.ts';
import type { WalletData } from './wallet-parts.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const owner = id('a');

const grant = (at: number): Grant => ({
  serviceType: `${id('5')}::jar_${at}::Jar`,
  coin: `${id('2')}::sui::SUI`,
  coinInfo: { symbol: 'SUI', decimals: 9 },
  allowance: '5',
  pullCap: null,
  grantedMs: 1_000,
  adaptor: null,
  listing: null,
});

const none = { totalCount: 0, edges: [], pageInfo: { hasNextPage: false, endCursor: null } };
const wallet = (walletId: string, grants: readonly Grant[]): WalletData => ({
  walletId,
  owner,
  identity: id('1'),
  paused: false,
  createdMs: 1_000,
  grants,
  delegates: none,
  ownerCaps: none,
  caps: none,
  policy: null,
  actions: { edges: [] },
  spends: { edges: [] },
});

async function renderWallet(search: string, shown: WalletData): Promise<string> {
  const request: PageRequest = {
    path: '/wallet',
    search: new URLSearchParams(search),
    parameters: {},
    network: 'testnet',
    networks: ['testnet'],
    node: { url: 'http://127.0.0.1:1' },
    readWalletLock: async () => true,
    origin: 'https://marketplace.example',
    nowMs: 31 * 86_400_000 + 2_000,
  };
  const ids = [id('b'), id('c')];
  const wallets = { totalCount: 2, edges: ids.map((walletId) => ({ node: { walletId, createdMs: 1_000 } })) };
  const content = await walletPage.render({ wallets, named: shown } as never, request);
  return render(content!.main).replaceAll('&amp;', '&');
}

test('another wallet of the owner is shown from the start of its lists', async () => {
  const search = { network: 'testnet', owner, wallet: id('b') };
  const inLists = { ...search, delegates: 'x', caps: 'y', coin: '0x9::usd::USD', show: 'risky', page: '3' };
  const html = await renderWallet(String(new URLSearchParams(inLists)), wallet(id('b'), []));
  expect(html).toContain(`href="/wallet?${new URLSearchParams({ ...search, wallet: id('c') })}"`);
});

test('a wallet with more grants than the page reads says so', async () => {
  const words = 'more grants than these 200';
  const grants = (length: number) => Array.from({ length }, (_, at) => grant(at));
  expect(await renderWallet('', wallet(id('b'), grants(199)))).not.toContain(words);
  expect(await renderWallet('', wallet(id('b'), grants(200)))).toContain(words);
});

test('the button that revokes unused services names no more than one transaction can revoke', async () => {
  const grants = Array.from({ length: 150 }, (_, at) => grant(at));
  const html = await renderWallet('', wallet(id('b'), grants));
  const [, services = ''] = /data-act="revoke" data-services="([^"]*)"/.exec(html) ?? [];
  expect(services.split(' ')).toHaveLength(100);
  expect(html).toContain('>Revoke 100 unused services</button>');
});
