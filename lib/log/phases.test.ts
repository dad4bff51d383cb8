import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from './index.ts';
import { createPhases } from './phases.ts';
import { createStatusLine } from './status-line.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function terminal(columns = 80) {
  let written = '';
  const write = (text: string) => {
    written += text;
    return true;
  };
  return { write, columns, isTTY: true, written: () => written };
}

/** The lines that a person sees once the text has been written to a terminal. */
function screen(written: string): string[] {
  return written.split('\n').map((line) => line.split('\r\x1b[2K').at(-1)!);
}

/** Work that lasts until it is ended. */
function openWork() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test('a terminal shows the running phases and the seconds in one line, from the first moment', async () => {
  const shown = terminal();
  const phases = createPhases(pino({}, { write: () => expect.fail() }), createStatusLine(shown));
  const [database, compiler] = [openWork(), openWork()];
  const starting = phases.during('starting PostgreSQL', database.work);
  expect(screen(shown.written())).toEqual(['Starting (0 s): starting PostgreSQL']);
  const compiling = phases.during('compiling the contracts', compiler.work);
  vi.advanceTimersByTime(12_000);
  expect(screen(shown.written())).toEqual(['Starting (12 s): starting PostgreSQL, compiling the contracts']);
  database.end();
  await starting;
  expect(screen(shown.written())).toEqual(['Starting (12 s): compiling the contracts']);
  compiler.end();
  await compiling;
  vi.advanceTimersByTime(1_000);
  expect(screen(shown.written())).toEqual(['Starting (13 s): compiling the contracts']);
  phases.end();
  vi.advanceTimersByTime(60_000);
  expect(screen(shown.written())).toEqual(['']);
});

test('log lines go above the phases of a terminal, and a narrow one shows no second line', async () => {
  const shown = terminal(24);
  const status = createStatusLine(shown);
  const log = createLogger('info', status);
  const phases = createPhases(log, status);
  const running = openWork();
  const compiling = phases.during('compiling the contracts', running.work);
  log.info('the network runs');
  const [line, last, ...more] = screen(shown.written());
  expect(line).toContain('the network runs');
  expect(last).toBe('Starting (0 s): compili');
  expect(more).toEqual([]);
  running.end();
  await compiling;
  phases.end();
});

test('without a terminal each phase is one log line as it begins, and its result or failure is that of the work', async () => {
  const lines: string[] = [];
  const phases = createPhases(pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) }));
  expect(await phases.during('starting PostgreSQL', async () => 7)).toBe(7);
  const failing = phases.during('compiling the contracts', () => Promise.reject(new Error('no compiler')));
  await expect(failing).rejects.toThrow('no compiler');
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual(['starting PostgreSQL', 'compiling the contracts']);
});
