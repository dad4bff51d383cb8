import { type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import type { DueItems } from './due.ts';
import { isPictureShown } from './hidden-pictures.ts';
import type { Queryable } from './queryable.ts';
import { checkQueue, readInTurns, type Turns } from './turns.ts';

const checkedColumns = readColumns(tables.pictures, ['subject', 'url', 'host']);

/** A due fetch of a coin's logo or a publisher's icon. */
export interface PictureCheck extends Row<typeof checkedColumns> {
  /** Failed attempts since the last success, this one included if it fails. */
  attempts: number;
}

const checkColumns = `${checkedColumns.select('q')}, q.check_attempts + 1 as attempts`;

/** Reads the due fetches. Neither a package with many coins nor a host with many pictures delays the others. */
export async function readDuePictures(
  db: Queryable,
  network: string,
  limit: number,
  turns: Turns,
): Promise<DueItems<PictureCheck>> {
  return await readInTurns<PictureCheck>(
    db,
    { network, limit, turns },
    {
      name: 'due-pictures',
      table: 'pictures',
      ...checkQueue,
      groups: [
        { group: 'host', order: 'subject' },
        { group: `split_part(subject, '::', 1)`, order: 'subject' },
      ],
      select: checkColumns,
    },
  );
}

/** Reads the fetch of a picture in its current state; undefined if it is not due now. */
export async function readDuePicture(
  db: Queryable,
  network: string,
  subject: string,
): Promise<PictureCheck | undefined> {
  const { rows } = await db.query<PictureCheck>({
    name: 'due-picture',
    text: `select ${checkColumns} from pictures q where network = $1 and subject = $2 and next_check_at <= now()`,
    values: [network, subject],
  });
  return rows[0];
}

export interface PictureOutcome extends Pick<PictureCheck, 'subject' | 'url' | 'attempts'> {
  /** Null if the file is not such a picture; undefined if it could not be read: the stored picture stays. */
  picture: { bytes: Buffer; mediaType: string } | null | undefined;
  /** The reason why there is no new picture; null if there is one. */
  error: string | null;
  nextAfterSeconds: number;
}

/** Stores the result of a fetch, unless the subject has another url meanwhile. */
export async function recordPicture(
  db: Queryable,
  network: string,
  { subject, url, attempts, picture, error, nextAfterSeconds }: PictureOutcome,
): Promise<void> {
  await db.query({
    name: 'record-picture',
    text: `update pictures set picture = case when $3 then $4 else picture end,
        media_type = case when $3 then $5 else media_type end, last_error = $6,
        check_attempts = case when $6::text is null then 0 else $7::int end,
        next_check_at = now() + make_interval(secs => $8::float8), check_ready = false
      where network = $1 and subject = $2 and url = $9`,
    values: [
      network,
      subject,
      picture !== undefined,
      picture?.bytes ?? null,
      picture?.mediaType ?? null,
      error,
      attempts,
      nextAfterSeconds,
      url,
    ],
  });
}

/** Reads the picture of a coin or a publisher; undefined without one, and if the operator hid it. */
export async function readPicture(
  db: Queryable,
  network: string,
  subject: string,
): Promise<{ picture: Buffer; mediaType: string } | undefined> {
  const { rows } = await db.query<{ picture: Buffer; mediaType: string }>({
    name: 'read-picture',
    text: `select picture, media_type as "mediaType" from pictures p
      where network = $1 and subject = $2 and picture is not null and ${isPictureShown('p')}`,
    values: [network, subject],
  });
  return rows[0];
}
