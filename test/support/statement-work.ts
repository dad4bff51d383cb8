import type { ClientBase, Pool, QueryConfig } from 'pg';

/** A node of a plan in the JSON format of PostgreSQL, after its execution. */
interface PlanNode {
  'Node Type': string;
  'Parent Relationship'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

export interface StatementWork {
  name: string;
  /** Rows that its scans read, of tables, indexes and its own parts. A row that is read twice counts twice. */
  read: number;
  /** Rows that it inserts, updates or deletes. */
  written: number;
}

/**
 * Runs `work` on one connection and measures each of its statements. All effects are rolled back, unless `keep` is set.
 * A statement is executed twice, the first time within a savepoint that is rolled back.
 */
export async function measureWork(
  pool: Pool,
  work: (client: ClientBase) => Promise<unknown>,
  { keep = false } = {},
): Promise<StatementWork[]> {
  const client = await pool.connect();
  const statements: StatementWork[] = [];
  const measuring = {
    async query(statement: string | QueryConfig, given?: unknown[]) {
      const { text, values = given, name } = typeof statement === 'string' ? { text: statement } : statement;
      await client.query('savepoint measured');
      const { rows } = await client.query(`explain (analyze, timing off, format json) ${text}`, values);
      await client.query('rollback to savepoint measured');
      const { Plan: plan } = rows[0]['QUERY PLAN'][0];
      statements.push({ name: name ?? text.trimStart().slice(0, 40), ...sumRows(plan) });
      return await client.query(text, values);
    },
  };
  try {
    await client.query('begin');
    await work(measuring as unknown as ClientBase);
    await client.query(keep ? 'commit' : 'rollback');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
  return statements;
}

/** Returns the statement that reads the most, and the one that writes the most rows. */
export const findLargest = (statements: readonly StatementWork[]) => ({
  read: Math.max(...statements.map(({ read }) => read)),
  written: Math.max(...statements.map(({ written }) => written)),
});

function sumRows(node: PlanNode): { read: number; written: number } {
  const children = node.Plans ?? [];
  const sum = { read: 0, written: 0 };
  for (const part of children.map(sumRows)) {
    sum.read += part.read;
    sum.written += part.written;
  }
  const count = (rows: number) => Math.round(rows * node['Actual Loops']);
  if (node['Node Type'].endsWith('Scan')) {
    sum.read += count(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
  }
  sum.read += count(node['Rows Removed by Join Filter'] ?? 0);
  if (node['Node Type'] === 'ModifyTable') {
    // The other children are parts of the statement with a name.
    const source = children.find((child) => child['Parent Relationship'] === 'Outer');
    sum.written += source ? source['Actual Rows'] * source['Actual Loops'] : 0;
  }
  return sum;
}
