import { inject } from 'vitest';
import { type CreatedDatabase, createDatabaseOn } from './database-on.ts';

/** A new empty database on the run's server. */
export function createDatabase(): Promise<CreatedDatabase> {
  return createDatabaseOn(inject('postgresUrl'));
}

/** A new database on the run's server, migrated. */
export function createMigratedDatabase(): Promise<CreatedDatabase> {
  return createDatabaseOn(inject('postgresUrl'), inject('migratedDatabase'));
}
