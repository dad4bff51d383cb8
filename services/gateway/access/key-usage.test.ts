import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { silentLogger } from '../../../lib/log/index.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type KeyUsage, openKeyUsage } from './key-usage.ts';

const db = useTestDatabase();

const readRows = async (integrator: string) => {
  const { rows } = await db.pool.query(
    'select day::text, key_id, requests from key_usage where integrator = $1 order by day, key_id',
    [integrator],
  );
  return rows;
};

test('requests are counted by key and UTC day, over all gateways', async () => {
  let now = Date.UTC(2026, 0, 31, 23, 59, 59);
  const options = { db: db.pool, log: silentLogger, metrics: new Registry(), nowMs: () => now };
  const gateways = [openKeyUsage(options), openKeyUsage({ ...options, metrics: new Registry() })];
  for (const usage of gateways) usage.add('key_1', 'two days');
  now += 1_000;
  for (const usage of gateways) usage.add('key_1', 'two days');
  gateways[0]!.add('key_2', 'two days');
  await Promise.all(gateways.map((usage) => usage.close()));
  expect(await readRows('two days')).toEqual([
    { day: '2026-01-31', key_id: 'key_1', requests: 2 },
    { day: '2026-02-01', key_id: 'key_1', requests: 2 },
    { day: '2026-02-01', key_id: 'key_2', requests: 1 },
  ]);
});

test('what is counted while the database is out is written once it is back, and the outage is said once', async () => {
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(JSON.parse(line).msg) });
  await db.pool.query('alter table key_usage rename to key_usage_away');
  const usage: KeyUsage = openKeyUsage({ db: db.pool, log, metrics: new Registry(), flushEveryMs: 5 });
  for (let n = 0; n < 3; n++) usage.add('key_3', 'patient');
  await eventually(() => expect(logged).toHaveLength(1));
  usage.add('key_3', 'patient');
  await db.pool.query('alter table key_usage_away rename to key_usage');
  await eventually(async () => expect(await readRows('patient')).toMatchObject([{ requests: 4 }]));
  await usage.close();
  expect(logged).toEqual([expect.stringMatching(/^the usage of API keys cannot be written/)]);
});
