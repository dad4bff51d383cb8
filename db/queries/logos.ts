import { type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import type { DueItems } from './due.ts';
import type { Queryable } from './queryable.ts';
import { readInTurns, type Turns } from './turns.ts';

const checkedColumns = readColumns(tables.coinLogos, ['coinType', 'url', 'host']);

/** A due fetch of a coin's logo. */
export interface LogoCheck extends Row<typeof checkedColumns> {
  /** Failed attempts since the last success, this one included if it fails. */
  attempts: number;
}

const checkColumns = `${checkedColumns.select('q')}, q.check_attempts + 1 as attempts`;

/** Reads the due fetches. Neither a package with many coins nor a host with many logos delays the others. */
export async function readDueLogos(
  db: Queryable,
  network: string,
  limit: number,
  turns: Turns,
): Promise<DueItems<LogoCheck>> {
  return await readInTurns<LogoCheck>(
    db,
    { network, limit, turns },
    {
      name: 'due-logos',
      table: 'coin_logos',
      due: 'next_check_at',
      ready: 'check_ready',
      priorities: ['least(check_attempts, 1) = 0', 'least(check_attempts, 1) = 1'],
      groups: [
        { group: 'host', order: 'coin_type' },
        { group: `split_part(coin_type, '::', 1)`, order: 'coin_type' },
      ],
      select: checkColumns,
    },
  );
}

/** Reads the fetch of a logo in its current state; undefined if it is not due now. */
export async function readDueLogo(
  db: Queryable,
  network: string,
  coinType: string,
): Promise<LogoCheck | undefined> {
  const { rows } = await db.query<LogoCheck>({
    name: 'due-logo',
    text: `select ${checkColumns} from coin_logos q where network = $1 and coin_type = $2 and next_check_at <= now()`,
    values: [network, coinType],
  });
  return rows[0];
}

export interface LogoOutcome extends Pick<LogoCheck, 'coinType' | 'attempts'> {
  /** Null if the file is not such a picture; undefined if it could not be read: the stored picture stays. */
  picture: { bytes: Buffer; mediaType: string } | null | undefined;
  /** The reason why there is no new picture; null if there is one. */
  error: string | null;
  nextAfterSeconds: number;
}

/** Stores the result of a fetch. */
export async function recordLogo(
  db: Queryable,
  network: string,
  { coinType, attempts, picture, error, nextAfterSeconds }: LogoOutcome,
): Promise<void> {
  await db.query({
    name: 'record-logo',
    text: `update coin_logos set picture = case when $3 then $4 else picture end,
        media_type = case when $3 then $5 else media_type end, last_error = $6,
        check_attempts = case when $6::text is null then 0 else $7::int end,
        next_check_at = now() + make_interval(secs => $8::float8), check_ready = false
      where network = $1 and coin_type = $2`,
    values: [
      ...[network, coinType, picture !== undefined, picture?.bytes ?? null, picture?.mediaType ?? null],
      ...[error, attempts, nextAfterSeconds],
    ],
  });
}

/** Reads the logo of a coin; undefined without one. */
export async function readLogo(
  db: Queryable,
  network: string,
  coinType: string,
): Promise<{ picture: Buffer; mediaType: string } | undefined> {
  const { rows } = await db.query<{ picture: Buffer; mediaType: string }>({
    name: 'read-logo',
    text: `select picture, media_type as "mediaType" from coin_logos
      where network = $1 and coin_type = $2 and picture is not null`,
    values: [network, coinType],
  });
  return rows[0];
}
