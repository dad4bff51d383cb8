import type { Pool, PoolClient } from 'pg';

/** What a read runs on: the pool, or one client of it. */
export type Queryable = Pool | PoolClient;

/** One statement, planned once per connection under its name: twice as fast as an unnamed one. */
export interface Statement {
  name: string;
  text: string;
}
