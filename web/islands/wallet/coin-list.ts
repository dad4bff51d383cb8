/** The part of a chain client that lists the dynamic fields of an object. */
export interface FieldReader {
  listDynamicFields(options: { parentId: string; cursor: string | null }): Promise<{
    dynamicFields: readonly { name: { type: string } }[];
    hasNextPage: boolean;
    cursor: string | null;
  }>;
}

/** Types of coins to show of a wallet. */
interface CoinList {
  /** The known ones first, then others in the order of the chain. */
  coins: string[];
  /** Number of the known ones. */
  knownCount: number;
  /** Types that the wallet has or had, as far as its fields were read. */
  held: ReadonlySet<string>;
  /** `true` if the wallet has or had further ones. */
  hasMore: boolean;
}

export interface CoinListOptions {
  /** Types that matter to the owner, such as granted ones, in their order. They are never left out. */
  known: readonly string[];
  /** Maximum number of other types: anyone can deposit any number of kinds. */
  othersMax: number;
}

const balanceKey = /::wallet::BalanceKey<(.+)>$/;

/** Writes each address of a type with 64 hex digits, as the chain and the index do. */
const toLong = (type: string) =>
  type.replaceAll(
    /0x([0-9a-fA-F]{1,64})(?=::)/g,
    (_, digits: string) => `0x${digits.toLowerCase().padStart(64, '0')}`,
  );

/** Sorts held coins: the known ones first, in their order, then the others. */
export function sortKnownFirst(held: readonly string[], known: readonly string[]): string[] {
  const all = new Set(held.map(toLong));
  const first = [...new Set(known.map(toLong))].filter((coin) => all.has(coin));
  return [...new Set([...first, ...all])];
}

/** Lists the types of coins of a wallet from its dynamic fields, and those that are known. */
export async function listCoins(
  reader: FieldReader,
  walletId: string,
  { known, othersMax }: CoinListOptions,
): Promise<CoinList> {
  const first = new Set(known.map(toLong));
  const held = new Set<string>();
  const others = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<FieldReader['listDynamicFields']>> = await reader.listDynamicFields({
      parentId: walletId,
      cursor,
    });
    for (const { name } of page.dynamicFields) {
      const found = balanceKey.exec(name.type)?.[1];
      if (found === undefined) continue;
      const coin = toLong(found);
      held.add(coin);
      if (!first.has(coin)) others.add(coin);
    }
    cursor = page.hasNextPage && others.size <= othersMax ? page.cursor : null;
  } while (cursor !== null);
  const coins = [...first, ...[...others].slice(0, othersMax)];
  return { coins, knownCount: first.size, held, hasMore: others.size > othersMax };
}
