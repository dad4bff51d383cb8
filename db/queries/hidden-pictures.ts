import { type Item, type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { decodeIdCursor, type Page, toIdPage } from './page.ts';
import type { Queryable } from './queryable.ts';

/** SQL condition: the operator has not hidden the picture of row `p`, which has `network` and `subject`. */
export const isPictureShown = (p: string) =>
  `not exists (select from hidden_pictures h where h.network = ${p}.network and h.subject = ${p}.subject)`;

const columns = readColumns(
  tables.hiddenPictures,
  ['id', 'network', 'subject', 'url', 'reason', 'operator'],
  { sinceMs: 'hiddenAt' },
);

/** A picture that an operator hid. */
type HiddenPicture = Item<typeof columns>;

/** Subject of a picture: a coin type in canonical form, or the address of a publisher. */
interface Subject {
  network: string;
  subject: string;
}

interface Decision extends Subject {
  reason: string;
  operator: string;
}

/**
 * Hides the picture of a coin or a publisher, whatever file it becomes later. A second decision replaces the first.
 * @returns undefined if the subject names no picture
 */
export async function hidePicture(
  db: Queryable,
  { network, subject, reason, operator }: Decision,
): Promise<HiddenPicture | undefined> {
  const { rows } = await db.query<Row<typeof columns>>({
    name: 'hide-picture',
    text: `insert into hidden_pictures as h (network, subject, url, reason, operator)
      select network, subject, url, $3, $4 from pictures where network = $1 and subject = $2
      on conflict (network, subject) do update set id = default, url = excluded.url, reason = excluded.reason,
        operator = excluded.operator, hidden_at = excluded.hidden_at
      returning ${columns.select('h')}`,
    values: [network, subject, reason, operator],
  });
  return rows[0] && columns.toItem(rows[0]);
}

/** Shows a hidden picture again. Returns undefined if it is not hidden. */
export async function showPicture(
  db: Queryable,
  { network, subject }: Subject,
): Promise<HiddenPicture | undefined> {
  const { rows } = await db.query<Row<typeof columns>>({
    name: 'show-picture',
    text: `delete from hidden_pictures h where h.network = $1 and h.subject = $2 returning ${columns.select('h')}`,
    values: [network, subject],
  });
  return rows[0] && columns.toItem(rows[0]);
}

/**
 * Lists the hidden pictures of a network, the newest first.
 * @throws ProblemError `bad_cursor`
 */
export async function listHiddenPictures(
  db: Queryable,
  { network, limit, cursor }: { network: string; limit: number; cursor?: string | undefined },
): Promise<Page<HiddenPicture>> {
  const { rows } = await db.query<Row<typeof columns>>({
    name: 'list-hidden-pictures',
    text: `select ${columns.select('h')} from hidden_pictures h
      where h.network = $1 and h.id < $2::bigint
      order by h.id desc limit $3::int + 1`,
    values: [network, decodeIdCursor(cursor), limit],
  });
  return toIdPage(rows, limit, columns.toItem);
}
