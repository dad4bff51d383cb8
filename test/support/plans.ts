import type { QueryConfig } from 'pg';
import type { Queryable } from '../../db/queries/queryable.ts';

/** Returns the lines of the plans of all statements that `read` sends. The statements are executed as well. */
export async function readPlans(
  db: Queryable,
  read: (explaining: Queryable) => Promise<unknown>,
): Promise<string[]> {
  const plan: string[] = [];
  const explaining = {
    // The query builder passes values of its own, and its form of rows.
    async query(statement: QueryConfig, values: unknown[] = statement.values ?? []) {
      const { rows } = await db.query({ text: `explain ${statement.text}`, values });
      plan.push(...rows.map((row) => row['QUERY PLAN']));
      return await db.query({ ...statement, name: undefined }, values);
    },
  };
  await read(explaining as unknown as Queryable);
  return plan;
}
