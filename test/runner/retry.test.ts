import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

interface RetriedRun {
  code: number;
  /** Last lines of the output, after vitest's own. */
  lines: string[];
  /** One letter for each test that ran, sorted. */
  notes: string;
}

/** Runs test files in a folder of their own. Each test notes that it ran. */
async function runWithRetry(files: Record<string, string>): Promise<RetriedRun> {
  const dir = await mkdtemp(join(tmpdir(), 'runner-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await symlink(resolve(import.meta.dirname, '../../node_modules'), join(dir, 'node_modules'));
  await writeFile(join(dir, 'package.json'), '{"type":"module"}');
  const log = join(dir, 'log');
  await writeFile(log, '');
  const header = [
    "import { appendFileSync, readFileSync } from 'node:fs';",
    "import { beforeAll, expect, test } from 'vitest';",
    `const log = ${JSON.stringify(log)};`,
    'function note(letter) {',
    '  appendFileSync(log, letter);',
    "  return readFileSync(log, 'utf8').split(letter).length - 1;",
    '}',
  ];
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(dir, name), [...header, text].join('\n'));
  }
  // Leaves out the variables by which vitest recognises its worker.
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const [code, output] = await new Promise<[number, string]>((resolve) => {
    const command = [join(import.meta.dirname, 'retry.ts')];
    const options = { cwd: dir, env: { PATH, NODE_COMPILE_CACHE, NO_COLOR: '1' } };
    execFile(process.execPath, command, options, (error, stdout) =>
      resolve([Number(error?.code ?? 0), stdout]),
    );
  });
  const notes = (await readFile(log, 'utf8')).split('').toSorted().join('');
  const lastLines = output
    .trimEnd()
    .split(/\n{2,}/)
    .at(-1)!;
  return { code, lines: lastLines.split('\n'), notes };
}

const steady = "test('is steady', () => void note('s')); test('is too', () => {});";

test('files that pass run once', async () => {
  const run = await runWithRetry({ 'steady.test.js': steady });
  expect(run).toEqual({ code: 0, lines: ['2 passed, 0 failed'], notes: 's' });
});

test('a file that fails runs once more, and is named as unsteady if it passes then', async () => {
  const run = await runWithRetry({
    'steady.test.js': steady,
    'unsteady.test.js': "test('takes two runs', () => expect(note('u')).toBe(2)); test('passes', () => {});",
  });
  expect(run).toEqual({
    code: 0,
    lines: [
      'These tests are unsteady: they failed, and passed in a second run.',
      'unsteady: unsteady.test.js: takes two runs: expected 1 to be 2 // Object.is equality',
      '4 passed, 0 failed',
    ],
    notes: 'suu',
  });
});

test('a file that fails twice fails the run', async () => {
  const run = await runWithRetry({
    'broken.test.js': "test('never passes', () => expect(note('b')).toBe(0));",
    'unsteady.test.js': "beforeAll(() => expect(note('u')).toBe(2)); test('has a set-up', () => {});",
  });
  expect(run).toEqual({
    code: 1,
    lines: [
      'failed: broken.test.js: never passes: expected 2 to be +0 // Object.is equality',
      'These tests are unsteady: they failed, and passed in a second run.',
      'unsteady: unsteady.test.js: expected 1 to be 2 // Object.is equality',
      '1 passed, 1 failed',
    ],
    notes: 'bbuu',
  });
});

test('an error outside the tests fails the run', async () => {
  const run = await runWithRetry({
    'passes.test.js': "test('leaves a rejection', () => void Promise.reject(new Error('unhandled')));",
  });
  expect(run).toEqual({
    code: 1,
    lines: ['failed: outside the tests: unhandled', '1 passed, 1 failed'],
    notes: '',
  });
});
