import type { QueryConfig } from 'pg';

/** The statements that a spy on the `query` of a pool saw, each of those that were sent together too. */
export const statementsSeen = ({ mock }: { mock: { calls: readonly unknown[][] } }): QueryConfig[] =>
  mock.calls.flatMap(([given]) => {
    const { asked } = given as { asked?: readonly { statement: QueryConfig }[] };
    return asked?.map(({ statement }) => statement) ?? [given as QueryConfig];
  });

/** Their names, without that of the watch, which looks by itself each second. */
export const namesSeen = (spy: Parameters<typeof statementsSeen>[0]): string[] =>
  statementsSeen(spy)
    .map(({ name }) => name ?? 'unnamed')
    .filter((name) => name !== 'read-index-state');
