import type { DueItems } from './due.ts';
import type { Queryable } from './queryable.ts';

/** Groups at which the last reads of a queue ended, by priority: the next read begins after them. */
export type Turns = Map<string, string[]>;

export const beginTurns = (): Turns => new Map();

/** Rows `q` of a table that wait for their time. Reads take turns between the groups that they belong to. */
interface Queue {
  /** Name of its statements. */
  name: string;
  table: string;
  /** Column with the time at which a row is due. */
  due: string;
  /** Column that is `true` once this time has come. */
  ready: string;
  /** Further condition of its rows. */
  where?: string;
  /** Conditions of its priorities. All rows of a priority come before those of the next one. */
  priorities: readonly string[];
  /**
   * Columns whose values take turns, with the columns that order the rows of one value. An index of the ready rows has
   * the network, the columns of the priority, the group and the order.
   */
  groups: readonly { group: string; order: string }[];
  /** Condition of the rows to take among those that are read. */
  only?: string;
}

/** Columns and priorities of most queues of checks: those without an attempt come first. */
export const checkQueue = {
  due: 'next_check_at',
  ready: 'check_ready',
  priorities: ['least(check_attempts, 1) = 0', 'least(check_attempts, 1) = 1'],
} as const;

interface TurnsRead {
  network: string;
  limit: number;
  turns: Turns;
}

/** Rows that become ready in one read, at most. As long as more wait, or another transaction has locked one, `nextMs` is 0. */
const readyMax = 2_000;

/**
 * Reads due rows in a number of steps that grows with `limit` alone, however many are due. A read continues with the
 * groups after those of the last one, so a group with many rows delays no other, and many groups delay one by a round.
 * Among the rows that are read, the second one of a group comes after the first of every other group.
 */
export async function readInTurns<Row extends object>(
  db: Queryable,
  { network, limit, turns }: TurnsRead,
  queue: Queue & { select: string },
): Promise<DueItems<Row>> {
  const nextMs = await makeReady(db, network, queue);
  const numbered = queue.groups.map(
    ({ group }, at) => `row_number() over (partition by ${group} order by random()) as nth_${at}`,
  );
  const rows: Row[] = [];
  for (const priority of queue.priorities) {
    const left = limit - rows.length;
    if (left <= 0) break;
    const found = await walkGroups<Row & { nth: number }>(db, { network, limit: left, turns }, queue, {
      priority,
      finish: `select ends.after, taken.* from ends left join (
          select ${queue.select},
            row_number() over (order by greatest(${numbered.map((_, at) => `q.nth_${at}`).join(', ')}), random()) as nth
          from (select q.*, ${numbered.join(', ')} from ${foundRows(queue)}) q order by nth limit $2) taken on true
        order by nth`,
    });
    for (const { nth, after: _, ...row } of found) if (nth !== null) rows.push(row as unknown as Row);
  }
  return { rows, nextMs };
}

/**
 * Changes due rows, `limit` of each priority at most, in the order of `readInTurns`.
 * @returns `false` if some stay as they are because another transaction has locked them
 */
export async function updateInTurns(
  db: Queryable,
  read: TurnsRead,
  queue: Queue & { set: string },
): Promise<boolean> {
  await makeReady(db, read.network, queue);
  let complete = true;
  for (const priority of queue.priorities) {
    const [result] = await walkGroups<{ complete: boolean }>(db, read, queue, {
      priority,
      finish: `, due as materialized (select q.ctid from ${foundRows(queue)}),
        changed as (
          update ${queue.table} set ${queue.set} where ctid = any (array(
            select ctid from ${queue.table} where ctid = any (array(select ctid from due)) for update skip locked))
          returning network)
        select ends.after, (select count(*) from changed) = (select count(*) from due) as complete from ends`,
    });
    complete &&= result?.complete ?? true;
  }
  return complete;
}

/** Moves rows whose time has come among those that are ready. @returns milliseconds until the next time */
async function makeReady(db: Queryable, network: string, { name, table, due, ready, where = 'true' }: Queue) {
  const isWaiting = `network = $1 and ${due} is not null and not ${ready} and ${where}`;
  const { rows } = await db.query<{ ms: number | null }>({
    name: `${name}-ready`,
    text: `with come as materialized (
        select ctid from ${table} where ${isWaiting} and ${due} <= now() order by ${due} limit ${readyMax}),
      moved as (
        update ${table} set ${ready} = true where ctid = any (array(
          select ctid from ${table} where ctid = any (array(select ctid from come)) for update skip locked))
        returning network)
      select case when (select count(*) from come) = ${readyMax}
          or (select count(*) from come) > (select count(*) from moved) then 0
        else (extract(epoch from min(${due}) - now()) * 1000)::float8 end as ms
      from ${table} where ${isWaiting} and ${due} > now()`,
    values: [network],
  });
  return rows[0]?.ms ?? undefined;
}

/** SQL for the found rows. By ctid: the planner cannot know how many they are, and would read all rows for some. */
const foundRows = ({ table, only = 'true' }: Queue) =>
  `${table} q where q.ctid = any (array(select row_id from found)) and ${only}`;

/** Walks a priority's groups, and finds rows of each, as `found`. Advances the turns to `ends`. */
async function walkGroups<Row extends object>(
  db: Queryable,
  { network, limit, turns }: TurnsRead,
  queue: Queue,
  { priority, finish }: { priority: string; finish: string },
): Promise<(Row & { after: string[] })[]> {
  const { name, groups, priorities } = queue;
  const nth = groups.map((_, at) => at);
  const { rows } = await db.query<Row & { after: string[] }>({
    name: `${name}-${priorities.indexOf(priority)}`,
    text: `with ${nth.map((at) => findRows(queue, priority, at)).join(',\n')},
      found as (${nth.map((at) => `select row_id from some_${at} union select row_id from rest_${at}`).join(' union ')}),
      ends as (select array[${nth.map((at) => `coalesce((select value from turn_${at} order by nth desc limit 1), ($3::text[])[${at + 1}])`).join(', ')}] as after)
      ${finish}`,
    values: [network, limit, turns.get(priority) ?? groups.map(() => '')],
  });
  if (rows[0]) turns.set(priority, rows[0].after);
  return rows;
}

/**
 * SQL that finds up to `$2` rows of the groups after `$3`, then of those from the beginning. Each group has the same
 * share. Groups with fewer rows leave the rest of their share to the others.
 */
function findRows(queue: Queue, priority: string, at: number): string {
  const { table, due, ready, where = 'true' } = queue;
  const { group, order } = queue.groups[at]!;
  const after = `$3::text[])[${at + 1}]`;
  const isReady = `network = $1 and ${ready} and ${due} is not null and ${where} and ${priority}`;
  const next = (condition: string) =>
    `(select ${group} from ${table} where ${isReady} and ${condition} order by ${group} limit 1)`;
  /** An index walk: each step finds the next group. */
  const steps = (first: string, bound: string) => `(
      with recursive step as (
        select ${next(first)} as value
        union all
        select ${next(`${group} > step.value ${bound}`)} from step where step.value is not null)
      select value from step where value is not null)`;
  const rows = (limits: string) => `select c.row_id from turn_${at} t cross join lateral (
      select ctid as row_id from ${table}
      where ${isReady} and ${group} = t.value and ${due} <= now() order by ${order} ${limits}) c`;
  return `turn_${at} as materialized (
      select value, row_number() over () as nth from (
        ${steps(`${group} > (${after}`, '')} union all ${steps(`${group} <= (${after}`, `and ${group} <= (${after}`)}
        limit $2) walked),
    share_${at} as materialized (select ceil($2::numeric / greatest(1, count(*)))::bigint as size from turn_${at}),
    some_${at} as materialized (${rows(`limit (select size from share_${at})`)}),
    rest_${at} as materialized (${rows(`offset (select size from share_${at}) limit $2`)}
      limit greatest(0, $2 - (select count(*) from some_${at})))`;
}
