import { bcs } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';
import type { CoinInfo } from '../../components/values.ts';
import { Refusal } from '../api/ask.ts';
import { type ChainIds, client } from '../signing/chain.ts';

interface Balance {
  coinType: string;
  amount: bigint;
  info: CoinInfo | null;
}

const coinsMax = 50;
const balanceKey = /::wallet::BalanceKey<(.+)>$/;

/** Reads the types of coins that a wallet has or had from its dynamic fields; at most 50. */
export async function coinTypes(walletId: string): Promise<string[]> {
  const types: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof client.core.listDynamicFields>> =
      await client.core.listDynamicFields({ parentId: walletId, cursor });
    for (const { name } of page.dynamicFields) {
      const coin = balanceKey.exec(name.type)?.[1];
      if (coin !== undefined) types.push(coin);
    }
    cursor = page.hasNextPage && types.length < coinsMax ? page.cursor : null;
  } while (cursor !== null);
  return types.slice(0, coinsMax);
}

/** Appends a call for each coin that returns its balance in a wallet. */
export function readBalances(
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

const infos = new Map<string, Promise<CoinInfo | null>>();

/** Reads symbol and decimals of a coin from the chain. The page caches them; after a failed read it reads again. */
export function coinInfo(coinType: string): Promise<CoinInfo | null> {
  const cached = infos.get(coinType);
  if (cached) return cached;
  const reading = client.core
    .getCoinMetadata({ coinType })
    .then(({ coinMetadata }) =>
      coinMetadata ? { symbol: coinMetadata.symbol, decimals: coinMetadata.decimals } : null,
    )
    .catch(() => {
      infos.delete(coinType);
      return null;
    });
  infos.set(coinType, reading);
  return reading;
}

/** Reads symbols and decimals of several coins, by coin type. */
export const coinInfos = async (coinTypes: readonly string[]): Promise<Map<string, CoinInfo | null>> =>
  new Map(await Promise.all(coinTypes.map(async (coin) => [coin, await coinInfo(coin)] as const)));

/** Reads the balance of each coin that a wallet has or had, with a simulation. @throws Refusal */
export async function walletBalances(ids: ChainIds, walletId: string): Promise<Balance[]> {
  const coins = await coinTypes(walletId);
  if (coins.length === 0 || !ids.wallet) return [];
  const tx = new Transaction();
  tx.setSender(walletId);
  readBalances(tx, ids.wallet.packageId, walletId, coins);
  const simulated = await client.core.simulateTransaction({
    transaction: tx,
    checksEnabled: false,
    include: { commandResults: true },
  });
  if (simulated.$kind === 'FailedTransaction')
    throw new Refusal('The balances could not be read', 'Reload the page.');
  return await Promise.all(
    coins.map(async (coinType, at) => ({
      coinType,
      amount: decodeAmount(simulated.commandResults?.[at]),
      info: await coinInfo(coinType),
    })),
  );
}
