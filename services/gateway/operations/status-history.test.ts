import { expect, test } from 'vitest';
import { createRecord } from './status-history.ts';

const quarterMs = 15 * 60_000;
const startMs = 1_000 * quarterMs;
const source = {
  network: 'testnet',
  name: 'registry',
  checkpointAtMs: startMs,
  lastErrorAtMs: null,
  eventCount: 100,
  removedAtMs: null,
} as const;

test('a quarter of an hour has the longest lag, what was late, new errors once, and the events since it began', () => {
  const record = createRecord(60);
  record.add([source], startMs);
  record.add([{ ...source, lastErrorAtMs: startMs + 10, eventCount: 130 }], startMs + 61_000);
  record.add([{ ...source, lastErrorAtMs: startMs + 10, eventCount: 130 }], startMs + 62_000);
  record.add([{ ...source, removedAtMs: startMs, name: 'agents' }], startMs + 62_000);
  expect(record.read()).toEqual([
    {
      network: 'testnet',
      name: 'registry',
      quarters: [{ fromMs: startMs, samples: 3, late: 2, failed: 1, lagSecondsMax: 62, events: 30 }],
    },
  ]);
});

test('a source that has read nothing is late, and a database that was made again subtracts no events', () => {
  const record = createRecord(60);
  record.add([source], startMs);
  record.add([{ ...source, checkpointAtMs: null, eventCount: 0 }], startMs + quarterMs);
  expect(record.read()[0]?.quarters[1]).toMatchObject({ samples: 1, late: 1, events: 0 });
});

test('the record is at most a day long, however long the gateway runs', () => {
  const record = createRecord(60);
  for (let nth = 0; nth < 500; nth += 1) record.add([source], startMs + nth * quarterMs);
  const quarters = record.read()[0]!.quarters;
  expect(quarters).toHaveLength(96);
  expect(quarters.at(-1)?.fromMs).toBe(startMs + 499 * quarterMs);
});
