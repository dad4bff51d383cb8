import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { eventually } from '../support/eventually.ts';
import { settingsFor } from '../support/frames/packages.ts';

test('while the database is away, each try of a source is one warning with the reason, and no stack', async () => {
  const lines: { level: number; source?: string; msg: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  // No one listens on port 1.
  const db = openDatabase('postgres://postgres@127.0.0.1:1/postgres', {
    max: 4,
    name: 'test',
    log: silentLogger,
  });
  const outbound = createOutbound({ allowCidrs: [] });
  const indexer = startIndexer({ db, networks: [settingsFor('http://127.0.0.1:1')], log, outbound });
  onTestFinished(async () => {
    await indexer.close();
    await outbound.close();
    await db.close();
  });
  await eventually(() => expect(lines.filter(({ source }) => source === 'registry')).toHaveLength(2));
  expect(lines[0]).toMatchObject({ level: 40, msg: expect.stringContaining('ECONNREFUSED') });
  expect(lines.filter(({ level }) => level > 40)).toEqual([]);
});
