import type { CustomTypesConfig, Pool, QueryConfig, QueryResult } from 'pg';
import { abortReads } from '../../../db/cancel.ts';
import { getTypeParser } from '../../../db/client.ts';
import { isServerFault, type Read } from '../../../db/replicas/read-pools.ts';
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
export function openLevelReader(db: Pick<Read, 'run'>, bytesMax = readBytesMax): LevelReader {
  let bytes = 0;
  const counting: CustomTypesConfig = {
    getTypeParser(oid, format) {
      const parse = getTypeParser(oid, format);
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
      let results: PromiseSettledResult<QueryResult>[] | undefined;
      const readLevel = async (pool: Pool) => {
        const reads = abortReads(await pool.connect(), signal);
        results = await Promise.allSettled(counted.map((statement) => reads.query(statement)));
        const failed = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
        reads.release(failed.some(isDatabaseAway));
        const fault = failed.find(isServerFault);
        // Runs the level again if this server was a replica.
        if (fault !== undefined) throw fault;
        return results;
      };
      return await db.run(readLevel).catch((error) => {
        if (results) return results;
        throw error;
      });
    },
  };
}
