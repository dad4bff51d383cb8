import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { eventually } from '../support/eventually.ts';
import { settingsFor } from '../support/frames/packages.ts';

test('while the database is away, a source says so once with the reason, and keeps trying', async () => {
  const lines: { level: number; source?: string; msg: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  let tries = 0;
  const closed = createServer((socket) => {
    tries++;
    socket.resetAndDestroy();
  }).listen(0, '127.0.0.1');
  await once(closed, 'listening');
  onTestFinished(() => void closed.close());
  const { port } = closed.address() as AddressInfo;
  const db = openDatabase(`postgres://postgres@127.0.0.1:${port}/postgres`, {
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
  await eventually(() => expect(tries).toBeGreaterThan(20));
  expect(lines.filter(({ source }) => source === 'registry')).toEqual([
    expect.objectContaining({
      level: 40,
      msg: expect.stringMatching(/^waits for the database: .*(ECONNRESET|terminated)/),
    }),
  ]);
  expect(lines.filter(({ level }) => level > 40)).toEqual([]);
});
