import pg, { type QueryConfig } from 'pg';
import { vi } from 'vitest';

/** Spies on the statements of all connections of this process. `statementsSeen` selects those of queries of the graph. */
export const spyOnStatements = () => vi.spyOn(pg.Client.prototype, 'query');

interface Seen {
  mock: { calls: readonly unknown[][]; contexts: readonly unknown[] };
}

/** The statements that queries of the graph have run: these alone count the values that they read. */
export const statementsSeen = ({ mock }: Seen): (QueryConfig & { connection: unknown })[] =>
  mock.calls.flatMap(([given], at) => {
    const statement = given as QueryConfig;
    return statement.types ? [{ ...statement, connection: mock.contexts[at] }] : [];
  });

export const namesSeen = (spy: Seen): string[] => statementsSeen(spy).map(({ name }) => name ?? 'unnamed');
