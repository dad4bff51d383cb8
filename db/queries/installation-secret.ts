import type * as tables from '../schema/index.ts';
import type { Queryable } from './queryable.ts';

export async function readInstallationSecret(db: Queryable): Promise<Buffer> {
  const { rows } = await db.query<typeof tables.installationSecret.$inferSelect>({
    name: 'read-installation-secret',
    text: 'select secret from installation_secret',
  });
  return rows[0]!.secret;
}
