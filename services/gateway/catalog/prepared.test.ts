import { Registry } from '@prometheus-io/client';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../lib/log/index.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import { prepareCatalogs } from './prepared.ts';

test('a stream of changes is prepared four times a second at most, and the last of them is shown', async () => {
  const db = await openTestDatabase();
  try {
    const seed = readModelBuilder(db);
    const metrics = new Registry();
    const catalogs = prepareCatalogs({ db, networks: ['testnet'], log: silentLogger, metrics });
    const changes = 60;
    const begun = performance.now();
    let last = Promise.resolve();
    for (let i = 0; i < changes; i++) {
      await seed.changedSilently();
      last = catalogs.rebuild('testnet');
    }
    await last;
    const seconds = (performance.now() - begun) / 1000;
    const text = await metrics.metrics();
    const rebuilds = Number(/catalog_rebuild_seconds_count\{.*\} (\d+)/.exec(text)?.[1]);
    expect(rebuilds).toBeGreaterThan(0);
    expect(rebuilds).toBeLessThanOrEqual(1 + seconds / 0.24);
    expect(catalogs.get('testnet')?.identity.etag).toMatch(new RegExp(`^"${changes}-`));
  } finally {
    await db.drop();
  }
});
