import type { QueryConfig, QueryResult } from 'pg';
import type { Queryable } from '../../db/queries/queryable.ts';

interface Read {
  statement: QueryConfig;
  result: Promise<QueryResult>;
}

interface Reads {
  db: Queryable;
  /** A database for a second execution. It repeats the results of the first one's reads, and reads only the rest. */
  repeat(): Queryable;
}

export function recordReads(db: Queryable): Reads {
  const reads: Read[] = [];
  const read = (statement: QueryConfig) => {
    const result = db.query(statement);
    reads.push({ statement, result });
    return result;
  };
  return {
    db: { query: read as Queryable['query'] },
    repeat() {
      const known = new Map(reads.map(({ statement, result }) => [createKey(statement), result]));
      const query = (statement: QueryConfig) => known.get(createKey(statement)) ?? db.query(statement);
      return { query: query as Queryable['query'] };
    },
  };
}

const createKey = ({ text, values }: QueryConfig) => JSON.stringify([text, values]);
