import pino from 'pino';
import { expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createPagedApplier } from '../manifests/apply.ts';

test('an outage of the database is two lines of the log: one when it begins, and one when it ends', async () => {
  const db = await openTestDatabase();
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
  const asked = vi.spyOn(db.pool, 'query');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { signal } = new AbortController();
  const applying = createPagedApplier({
    pool: db.pool,
    network: 'testnet',
    log,
    signal,
    onDue: () => undefined,
  });
  /** Lets the loop look `times` times, each after the look before. */
  const look = async (times: number) => {
    for (let n = 0; n < times; n++) {
      const before = asked.mock.settledResults.filter(({ type }) => type !== 'incomplete').length;
      vi.advanceTimersByTime(1_000);
      await eventually(async () => {
        const now = asked.mock.settledResults.filter(({ type }) => type !== 'incomplete').length;
        expect(now).toBeGreaterThan(before);
      });
      await new Promise(setImmediate);
    }
  };
  try {
    applying.start();
    await look(2);
    expect(lines).toEqual([]);
    for (const outage of [1, 2]) {
      asked.mockRejectedValue(new Error('connect ECONNREFUSED'));
      await look(3);
      asked.mockReset();
      await look(3);
      expect(lines).toHaveLength(2 * outage);
    }
    expect(lines.slice(0, 2)).toEqual([
      'could not apply fetched manifests: connect ECONNREFUSED',
      'the work succeeds again after an outage: could not apply fetched manifests',
    ]);
  } finally {
    await applying.close();
    vi.useRealTimers();
    vi.restoreAllMocks();
    await db.close();
  }
});
