import pg, { type CustomTypesConfig, type Pool, type QueryConfig, type QueryResult } from 'pg';
import { abortReads } from '../../../db/cancel.ts';
import { answerTooLarge, readBytesMax } from '../../../graphql/execution/answer-size.ts';
import { isDatabaseAway } from '../../../lib/errors/database-away.ts';

export interface LevelReader {
  /**
   * Runs the statements of a level on one connection, together if the pool pipelines. Results are in their order. An
   * error fails only its own statement, unless the connection is lost. When the signal aborts, those that run are
   * cancelled.
   */
  read(
    statements: readonly QueryConfig[],
    signal?: AbortSignal,
  ): Promise<PromiseSettledResult<QueryResult>[]>;
}

/** @param bytesMax most characters of all values that the query reads; a statement beyond it fails, and keeps no rows */
export function openLevelReader(pool: Pool, bytesMax = readBytesMax): LevelReader {
  const types: CustomTypesConfig = pool.options.types ?? pg.types;
  let bytes = 0;
  const counting: CustomTypesConfig = {
    getTypeParser(oid, format) {
      const parse = types.getTypeParser(oid, format);
      return (text: string) => {
        bytes += text.length;
        if (bytes > bytesMax) throw answerTooLarge(`The query reads more than ${bytesMax} bytes`);
        return parse(text);
      };
    },
  };

  return {
    async read(statements, signal) {
      const counted = statements.map((statement) => ({ ...statement, types: counting }));
      const reads = abortReads(await pool.connect(), signal);
      const results = await Promise.allSettled(counted.map((statement) => reads.query(statement)));
      reads.release(results.some((result) => result.status === 'rejected' && isDatabaseAway(result.reason)));
      return results;
    },
  };
}
