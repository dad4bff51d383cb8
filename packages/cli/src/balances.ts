import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';

export interface Balance {
  coin: string;
  amount: string;
}

interface WalletBalances {
  balances: Balance[];
  /** `true` if some coins were not read: the wallet has too many, which anyone can cause, or the node lacks a field. */
  truncated: boolean;
}

const balanceKey = /^0x[0-9a-f]+::wallet::BalanceKey<(.+)>$/;
const pagesMax = 10;
const timeoutMs = 20_000;

/**
 * Reads the coins of a wallet from its dynamic fields, one for each type. The node has them all, also coins that were
 * never spent.
 */
export async function readBalances(
  client: Pick<ChainClient, 'within'>,
  walletId: string,
): Promise<WalletBalances> {
  const { core } = client.within(timeoutMs);
  const fields: { fieldId: string; coin: string }[] = [];
  let cursor: string | null = null;
  let truncated = true;
  for (let pages = 0; pages < pagesMax && truncated; pages++) {
    const page: Awaited<ReturnType<typeof core.listDynamicFields>> = await core.listDynamicFields({
      parentId: walletId,
      cursor,
      limit: 50,
    });
    for (const { fieldId, name } of page.dynamicFields) {
      const coin = balanceKey.exec(name.type)?.[1];
      if (coin !== undefined) fields.push({ fieldId, coin });
    }
    cursor = page.cursor;
    truncated = page.hasNextPage;
  }
  const { objects } = await core.getObjects({
    objectIds: fields.map(({ fieldId }) => fieldId),
    include: { content: true },
  });
  const balances = fields.flatMap(({ coin }, index) => {
    const object = objects[index];
    if (!object || object instanceof Error) return [];
    // Field<BalanceKey<T>, Balance<T>>: an id, a key without fields, and the amount at the end.
    return [{ coin, amount: String(Buffer.from(object.content.slice(-8)).readBigUInt64LE()) }];
  });
  return { balances, truncated: truncated || balances.length < fields.length };
}
