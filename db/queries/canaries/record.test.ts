import { expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import { refreshEntries } from '../catalog/maintain.ts';
import { lockCatalog } from '../catalog/revision.ts';
import { recordCanary } from './record.ts';

const db = useTestDatabase();

test('the operations of an entry go with it: a later listing is judged by simulations of its own', async () => {
  const network = 'testnet';
  const { serviceType, publisher } = await readModelBuilder(db).listing({});
  const key = { network, serviceType, publisher, version: 1 };
  const op = {
    op: 'jar::tip',
    position: 0,
    formerState: undefined,
    everWorked: true,
    untried: null,
    runs: [],
  };
  await recordCanary(db.pool, key, [{ ...op, state: 'down' }], 600);
  expect(await db.orm.select().from(tables.canaryOps)).toMatchObject([{ serviceType, state: 'down' }]);
  await db.pool.query('update listings set listed = false');
  await inTransaction(db.pool, async (client) =>
    refreshEntries(client, await lockCatalog(client, network), [{ serviceType, publisher }]),
  );
  expect(await db.orm.select().from(tables.canaries)).toEqual([]);
  expect(await db.orm.select().from(tables.canaryOps)).toEqual([]);
});
