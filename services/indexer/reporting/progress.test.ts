import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProgress, formatDuration } from './progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function terminal(isTTY: boolean) {
  const written: string[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk) => written.push(String(chunk)));
  const shown = Object.assign(stream, { isTTY, columns: 120, rows: 40 }) as unknown as WriteStream;
  return { stream: shown, written };
}

function logger() {
  const lines: Record<string, unknown>[] = [];
  return { lines, log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }) };
}

test('without a terminal, a catch-up is a log line every ten seconds with its rate and the time left', () => {
  const { lines, log } = logger();
  const progress = createProgress(log, terminal(false).stream);
  progress.tip('testnet/registry', 2_000);
  progress.moved('testnet/registry', 0, 0);
  vi.advanceTimersByTime(9_000);
  progress.moved('testnet/registry', 1_000, 500);
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(progress.estimateSecondsLeft('testnet/registry')).toBe(10);
  expect(lines).toMatchObject([
    { source: 'testnet/registry', checkpoint: 1_000, tip: 2_000, eventsPerSecond: 50, secondsLeft: 10 },
  ]);
  progress.caughtUp('testnet/registry');
  expect(progress.estimateSecondsLeft('testnet/registry')).toBeUndefined();
  vi.advanceTimersByTime(60_000);
  expect(lines.map(({ msg }) => msg)).toEqual(['catching up', 'caught up with the chain']);
  progress.close();
});

test('on a terminal, a catch-up is a line that is written over, and no log line', () => {
  const { lines, log } = logger();
  const { stream, written } = terminal(true);
  const progress = createProgress(log, stream);
  progress.tip('testnet/registry', 2_000);
  progress.moved('testnet/registry', 0, 0);
  vi.advanceTimersByTime(1_000);
  // The pace is not known yet.
  expect(written.join('')).toContain('checkpoint 0  0 events/s');
  expect(written.join('')).not.toMatch(/left|LL/);
  vi.advanceTimersByTime(9_000);
  progress.moved('testnet/registry', 1_000, 500);
  vi.advanceTimersByTime(1_000);
  expect(written.join('')).toMatch(/testnet\/registry .*checkpoint 1000 {2}50 events\/s {2}10 s left/);
  expect(written.join('')).not.toContain('LL');
  expect(lines).toEqual([]);
  progress.close();
});

test('a time is shown in a unit that people read', () => {
  expect([0, 119, 120, 7_199, 7_200, 172_799, 864_000].map(formatDuration)).toEqual([
    '0 s',
    '119 s',
    '2 min',
    '120 min',
    '2 h',
    '48 h',
    '10 days',
  ]);
});
