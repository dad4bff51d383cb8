import { type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import type { DueItems } from './due.ts';
import type { Queryable } from './queryable.ts';
import { checkQueue, readInTurns, type Turns } from './turns.ts';

/** SQL condition: the uri names a Walrus blob. A blob id is 32 bytes in URL-safe base64. */
const namesBlob = (uri: string) => `${uri} ~ '^walrus://(blob/)?[A-Za-z0-9_-]{43}$'`;

/**
 * SQL statement that stores the texts which reviews name, for a fetch. A text that could not be read is tried again when
 * another review names it: its author may have stored it since.
 * @param reviews rows with `comment_uri` and `attester`
 */
export const buildInsertTextsSql = (
  reviews: string,
) => `insert into review_texts as t (network, uri, attester)
  select distinct on (comment_uri) $1, comment_uri, attester from ${reviews} where ${namesBlob('comment_uri')}
  order by comment_uri
  on conflict (network, uri) do update set check_attempts = 0, next_check_at = now(), check_ready = true
    where t.body is null and t.next_check_at is null`;

const checkedColumns = readColumns(tables.reviewTexts, ['uri', 'attester']);

/** A due fetch of the text of reviews. */
export interface TextCheck extends Row<typeof checkedColumns> {
  /** Failed attempts, this one included if it fails. */
  attempts: number;
}

const checkColumns = `${checkedColumns.select('q')}, q.check_attempts + 1 as attempts`;

/** Reads the due fetches, first attempts first. An attester with many texts does not delay the others. */
export async function readDueTexts(
  db: Queryable,
  network: string,
  limit: number,
  turns: Turns,
): Promise<DueItems<TextCheck>> {
  return await readInTurns<TextCheck>(
    db,
    { network, limit, turns },
    {
      name: 'due-texts',
      table: 'review_texts',
      ...checkQueue,
      groups: [{ group: 'attester', order: 'uri' }],
      select: checkColumns,
    },
  );
}

/** Reads the fetch of a text in its current state; undefined if it is not due now. */
export async function readDueText(
  db: Queryable,
  network: string,
  uri: string,
): Promise<TextCheck | undefined> {
  const { rows } = await db.query<TextCheck>({
    name: 'due-text',
    text: `select ${checkColumns} from review_texts q where network = $1 and uri = $2 and next_check_at <= now()`,
    values: [network, uri],
  });
  return rows[0];
}

export interface TextOutcome extends Pick<TextCheck, 'uri' | 'attempts'> {
  /** Null if there is no text. */
  body: string | null;
  /** The reason why there is no text. */
  error: string | null;
  /** Seconds until the next attempt; null if there is none. */
  retryAfterSeconds: number | null;
}

/** Stores the result of a fetch. */
export async function recordText(
  db: Queryable,
  network: string,
  { uri, attempts, body, error, retryAfterSeconds }: TextOutcome,
): Promise<void> {
  await db.query({
    name: 'record-text',
    text: `update review_texts set body = $3, last_error = $4, check_attempts = $5, check_ready = false,
        next_check_at = now() + make_interval(secs => $6::float8)
      where network = $1 and uri = $2`,
    values: [network, uri, body, error, attempts, retryAfterSeconds],
  });
}
