import type { KeyColumns } from './lists.ts';
import { keyRows, orderByKeys, type Queryable } from './queryable.ts';

interface Lookup<Key, Row, Item> {
  /** Name of the statement. */
  name: string;
  key: KeyColumns<Key>;
  select: string;
  /** Joins from the row `key` to those of `select`: at most one row for each key. */
  join: string;
  /** Absent: the columns of `select` as they are. */
  toItem?(row: Row): Item;
}

/** Creates a read of many rows in one round trip, in the order of the keys; undefined for a key without a row. */
export function createLookup<Key, Row, Item = Row>({
  name,
  key,
  select,
  join,
  toItem = ({ nth: _, ...row }: Row & { nth?: number }) => row as Item,
}: Lookup<Key, Row, Item>) {
  const columns = Object.entries(key);
  const types = Object.fromEntries(columns.map(([column, [type]]) => [column, type]));
  const text = `select key.nth::int, ${select} from ${keyRows(types)} ${join}`;
  return async (db: Queryable, keys: readonly Key[]): Promise<(Item | undefined)[]> => {
    const values = columns.map(([, [, readValue]]) => keys.map(readValue));
    const { rows } = await db.query<Row & { nth: number }>({ name, text, values });
    return orderByKeys(keys, rows, toItem);
  };
}
