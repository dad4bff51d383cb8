import type { ClientBase, Pool } from 'pg';
import type { RunStep } from '../../../lib/agent/shapes.ts';

/** The channel on which a run's id is told whenever there is more of it to read. */
export const runsChannel = 'agent_runs';

/** Lines to be added to a run, the first at `place`. */
export interface NewLines {
  place: number;
  lines: readonly RunStep[];
  at: Date;
}

/** The parameters of `linesSql`, in its order. */
export const linesOf = ({ place, lines, at }: NewLines) => [
  place,
  lines.map(({ step }) => step),
  lines.map(({ status }) => status),
  lines.map(({ detail }) => detail ?? null),
  lines.map(({ digest }) => digest ?? null),
  at,
];

/**
 * Adds lines to the run that the row of `source` (with an `id`) names, as parameters from `$first` on have them.
 * A common table expression: nothing is added where `source` is empty.
 */
export const linesSql = (source: string, first: number) => `
  insert into agent_run_steps (run, place, step, status, detail, digest, at)
  select ${source}.id, $${first}::int + line.nth - 1, line.step, line.status, line.detail, line.digest,
    $${first + 5}::timestamptz
  from ${source}, unnest($${first + 1}::text[], $${first + 2}::text[], $${first + 3}::text[],
    $${first + 4}::text[]) with ordinality as line (step, status, detail, digest, nth)`;

/** Wakes who follows the run. */
export const tellSql = (source: string) => `select pg_notify('${runsChannel}', id::text) from ${source}`;

const addSql = `
with run as (
  select id from agent_runs where id = $1 and worker = $2 and state in ('running', 'signed') for update
), added as (${linesSql('run', 3)})
${tellSql('run')}`;

/** False where the run is not, or no longer, this worker's to drive. */
export async function addLines(
  db: Pool | ClientBase,
  run: number,
  worker: number,
  lines: NewLines,
): Promise<boolean> {
  const values = [run, worker, ...linesOf(lines)];
  return (await db.query({ name: 'agent-add-lines', text: addSql, values })).rowCount === 1;
}

/**
 * The code of a line `s` of a run `r`, where all lines from some place on are selected. A run's code is that of its last
 * error; an error that is followed by another line is that of a run which an operator settled later.
 */
export const codeSql = `
  case when s.status = 'error' then
    case when s.place = max(s.place) over (partition by s.run) then r.code else 'unknown' end
  end`;

const readSql = `
select r.state in ('done', 'failed', 'unknown') as ended, s.step, s.status, s.detail, s.digest, ${codeSql} as code
from agent_runs r left join agent_run_steps s on s.run = r.id and s.place >= $2
where r.id = $1 order by s.place`;

/** Lines of a run from a place on, and whether it has ended, or waits for an operator to settle it. */
export async function readLines(
  db: Pool,
  run: number,
  from: number,
): Promise<{ ended: boolean; lines: RunStep[] }> {
  const { rows } = await db.query<{
    ended: boolean;
    step: RunStep['step'] | null;
    status: RunStep['status'];
    detail: string | null;
    digest: string | null;
    code: string | null;
  }>({ name: 'agent-read-lines', text: readSql, values: [run, from] });
  const lines = rows.flatMap(({ step, status, detail, digest, code }) => {
    if (step === null) return [];
    const about = { ...(detail !== null && { detail }), ...(digest !== null && { digest }) };
    return { step, status, ...(code !== null && { code }), ...about };
  });
  return { ended: rows[0]?.ended ?? true, lines };
}
