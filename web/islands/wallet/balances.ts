import { readCoinInfo } from '@adaptor-marketplace/adaptor/chain';
import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import type { CoinInfo } from '../../components/values.ts';
import { ActionFailedError } from '../api/ask.ts';
import { type ChainIds, client } from '../signing/chain.ts';
import { type CoinListOptions, listCoins } from './coin-list.ts';

export interface Balance {
  coinType: string;
  amount: bigint;
  info: CoinInfo | null;
  /** `false` for a coin that the owner neither granted nor moved: anyone may have sent it. */
  isKnown: boolean;
}

/** Number of coins that are neither known nor granted on the first page, and that each further page adds. */
export const coinsPerPage = 50;

/** Reads the types of coins that a wallet has or had, at most `coinsPerPage`. Callers add those that they need. */
export const readCoinTypes = async (walletId: string): Promise<string[]> =>
  (await listCoins(client.core, walletId, { known: [], othersMax: coinsPerPage })).coins;

/** Appends a call for each coin that returns its balance in a wallet. */
export function appendBalanceCalls(
  tx: Transaction,
  packageId: string,
  walletId: string,
  coins: readonly string[],
): void {
  for (const coin of coins) {
    tx.moveCall({
      target: `${packageId}::wallet::balance`,
      typeArguments: [coin],
      arguments: [tx.object(walletId)],
    });
  }
}

export const decodeAmount = (
  result: { returnValues: readonly { bcs: Uint8Array }[] } | undefined,
): bigint => {
  const value = result?.returnValues[0];
  return value ? BigInt(bcs.u64().parse(value.bcs)) : 0n;
};

const infos = new Map<string, Promise<CoinInfo | null | undefined>>();

const coinInfoTimeoutMs = 10_000;

/**
 * Reads symbol and decimals of a coin from the chain. A symbol that could read as words of the page is replaced by the
 * name of the type. The page caches both; after a failed read it reads again.
 * @returns null for a coin without metadata, whose amounts are base units; undefined if the node does not answer
 */
export function loadCoinInfo(coinType: string): Promise<CoinInfo | null | undefined> {
  const cached = infos.get(coinType);
  if (cached) return cached;
  const reading = readCoinInfo(client, coinType, coinInfoTimeoutMs).then((answer) => {
    if (answer.status === 'found') return { symbol: answer.value.symbol, decimals: answer.value.decimals };
    if (answer.status === 'absent') return null;
    infos.delete(coinType);
    return undefined;
  });
  infos.set(coinType, reading);
  return reading;
}

/** Reads symbols and decimals of several coins, by coin type. Coins for which the node does not answer are left out. */
export async function loadCoinInfos(coinTypes: readonly string[]): Promise<Map<string, CoinInfo | null>> {
  const read = await Promise.all(coinTypes.map(async (coin) => [coin, await loadCoinInfo(coin)] as const));
  return new Map(read.flatMap(([coin, info]) => (info === undefined ? [] : [[coin, info]])));
}

/** Calls of one simulation. The chain allows some more commands in a transaction. */
const callsMax = 200;

/** Reads the balances of coins in a wallet with simulations. @throws ActionFailedError */
async function readAmounts(packageId: string, walletId: string, coins: readonly string[]): Promise<bigint[]> {
  const amounts: bigint[] = [];
  for (let at = 0; at < coins.length; at += callsMax) {
    const batch = coins.slice(at, at + callsMax);
    const tx = new Transaction();
    tx.setSender(walletId);
    appendBalanceCalls(tx, packageId, walletId, batch);
    const simulated = await client.core.simulateTransaction({
      transaction: tx,
      checksEnabled: false,
      include: { commandResults: true },
    });
    if (simulated.$kind === 'FailedTransaction')
      throw new ActionFailedError('The balances could not be read', 'Reload the page.');
    amounts.push(...batch.map((_, nth) => decodeAmount(simulated.commandResults?.[nth])));
  }
  return amounts;
}

/** Reads the balance of each coin that a wallet has or had. `hasMore`: it has further coins. @throws ActionFailedError */
export async function readWalletBalances(
  ids: ChainIds,
  walletId: string,
  options: CoinListOptions,
): Promise<{ balances: Balance[]; hasMore: boolean }> {
  const { coins, knownCount, held, hasMore } = await listCoins(client.core, walletId, options);
  if (coins.length === 0 || !ids.wallet) return { balances: [], hasMore: false };
  const amounts = await readAmounts(ids.wallet.packageId, walletId, coins);
  const shown = coins.flatMap((coinType, at) => {
    const amount = amounts[at]!;
    return amount > 0n || held.has(coinType) ? [{ coinType, amount, isKnown: at < knownCount }] : [];
  });
  const balances = shown.map(async (one) => ({ ...one, info: (await loadCoinInfo(one.coinType)) ?? null }));
  return { balances: await Promise.all(balances), hasMore };
}
