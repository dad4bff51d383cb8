import type { QueryConfig } from 'pg';
import type { Queryable } from '../../db/queries/queryable.ts';

/** The plans of what a read sends, line by line. The read gets what it asks for. */
export async function plansOf(
  db: Queryable,
  read: (explaining: Queryable) => Promise<unknown>,
): Promise<string[]> {
  const plan: string[] = [];
  const explaining = {
    async query({ text, values = [] }: QueryConfig) {
      const { rows } = await db.query({ text: `explain ${text}`, values });
      plan.push(...rows.map((row) => row['QUERY PLAN']));
      return await db.query({ text, values });
    },
  };
  await read(explaining as unknown as Queryable);
  return plan;
}
