import type { QueryConfig, QueryResult } from 'pg';
import type { Queryable } from '../../../db/queries/queryable.ts';

interface Read {
  statement: QueryConfig;
  result: Promise<QueryResult>;
}

/** Reads of one execution of a query. */
interface Reads {
  db: Queryable;
  /** For another execution of the same query: what was read already, failed reads too, is not read again. */
  again(): Queryable;
}

export function remembered(db: Queryable): Reads {
  const reads: Read[] = [];
  const read = (statement: QueryConfig) => {
    const result = db.query(statement);
    reads.push({ statement, result });
    return result;
  };
  return {
    db: { query: read as Queryable['query'] },
    again() {
      const known = new Map(reads.map(({ statement, result }) => [keyOf(statement), result]));
      const query = (statement: QueryConfig) => known.get(keyOf(statement)) ?? db.query(statement);
      return { query: query as Queryable['query'] };
    },
  };
}

const keyOf = ({ text, values }: QueryConfig) => JSON.stringify([text, values]);
