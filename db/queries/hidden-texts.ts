import { type Item, type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { decodeIdCursor, type Page, toIdPage } from './page.ts';
import type { Queryable } from './queryable.ts';

/** SQL condition: the operator has not hidden the text of row `t`, which has `network` and `uri`. */
export const isTextShown = (t: string) =>
  `not exists (select from hidden_texts h where h.network = ${t}.network and h.uri = ${t}.uri)`;

const columns = readColumns(tables.hiddenTexts, ['id', 'network', 'uri', 'reason', 'operator'], {
  sinceMs: 'hiddenAt',
});

/** A text of reviews that an operator hid. */
type HiddenText = Item<typeof columns>;

/** `commentUri` of reviews. */
interface TextKey {
  network: string;
  uri: string;
}

/**
 * Hides a text in all reviews that name it. A second decision replaces the first.
 * @returns undefined if no review names such a text
 */
export async function hideText(
  db: Queryable,
  { network, uri, reason, operator }: TextKey & { reason: string; operator: string },
): Promise<HiddenText | undefined> {
  const { rows } = await db.query<Row<typeof columns>>({
    name: 'hide-text',
    text: `insert into hidden_texts as h (network, uri, reason, operator)
      select network, uri, $3, $4 from review_texts where network = $1 and uri = $2
      on conflict (network, uri) do update set id = default, reason = excluded.reason, operator = excluded.operator,
        hidden_at = excluded.hidden_at
      returning ${columns.select('h')}`,
    values: [network, uri, reason, operator],
  });
  return rows[0] && columns.toItem(rows[0]);
}

/** Shows a hidden text again. Returns undefined if it is not hidden. */
export async function showText(db: Queryable, { network, uri }: TextKey): Promise<HiddenText | undefined> {
  const { rows } = await db.query<Row<typeof columns>>({
    name: 'show-text',
    text: `delete from hidden_texts h where h.network = $1 and h.uri = $2 returning ${columns.select('h')}`,
    values: [network, uri],
  });
  return rows[0] && columns.toItem(rows[0]);
}

/**
 * Lists the hidden texts of a network, the newest first.
 * @throws ProblemError `bad_cursor`
 */
export async function listHiddenTexts(
  db: Queryable,
  { network, limit, cursor }: { network: string; limit: number; cursor?: string | undefined },
): Promise<Page<HiddenText>> {
  const { rows } = await db.query<Row<typeof columns>>({
    name: 'list-hidden-texts',
    text: `select ${columns.select('h')} from hidden_texts h
      where h.network = $1 and h.id < $2::bigint
      order by h.id desc limit $3::int + 1`,
    values: [network, decodeIdCursor(cursor), limit],
  });
  return toIdPage(rows, limit, columns.toItem);
}
