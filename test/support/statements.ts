import type { QueryConfig } from 'pg';

/** The statements that a spy on a pool's `query` saw. Statements of one batch count individually. */
export const statementsSeen = ({ mock }: { mock: { calls: readonly unknown[][] } }): QueryConfig[] =>
  mock.calls.flatMap(([given]) => {
    const { asked } = given as { asked?: readonly { statement: QueryConfig }[] };
    return asked?.map(({ statement }) => statement) ?? [given as QueryConfig];
  });

/** Names of the statements, without that of the periodic watch. */
export const namesSeen = (spy: Parameters<typeof statementsSeen>[0]): string[] =>
  statementsSeen(spy)
    .map(({ name }) => name ?? 'unnamed')
    .filter((name) => name !== 'read-index-state');
