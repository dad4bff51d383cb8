import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { terminalLines } from './terminal-lines.ts';

function terminal() {
  const written: string[] = [];
  const log = pino({ name: 'test' }, terminalLines({ write: (text) => void written.push(text) }));
  return { log, written: () => stripVTControlCharacters(written.splice(0).join('')) };
}

test('an entry is one line, with its fields', () => {
  const { log, written } = terminal();
  const fields = { network: 'testnet', ms: 7, path: '/a b', seen: { sources: ['registry', 'wallet'] } };
  log.warn(fields, 'a source waits');
  expect(written()).toMatch(
    /^\d\d:\d\d:\d\d WARN a source waits network=testnet ms=7 path="\/a b" seen=\{"sources":\["registry","wallet"\]\}\n$/,
  );
});

test('an error is one line too, with its stack, and so is a message of several lines', () => {
  const { log, written } = terminal();
  log.error({ err: new TypeError('no\nsuch thing', { cause: new Error('below') }) }, 'a request failed');
  const line = written();
  expect(line).toMatch(/ERROR a request failed err=\{"type":"TypeError".*terminal-lines\.test\.ts.*\}\n$/);
  expect(line.split('\n')).toHaveLength(2);
  log.info('Wrong settings:\r\n  PORT: nothing');
  expect(written()).toMatch(/INFO Wrong settings: PORT: nothing\n$/);
});

test('whatever a stranger sends, an entry stays one line and does not move the cursor', () => {
  const { log, written } = terminal();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (message, value) => {
      log.info({ value, deep: { value } }, message);
      // The text without colors.
      expect(written()).toMatch(/^\P{Cc}+\n$/u);
    }),
  );
});
