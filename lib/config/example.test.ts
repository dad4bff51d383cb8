import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { describeSettings } from './describe.ts';
import { loadConfig } from './index.ts';

const file = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8');
const listed = [...file.matchAll(/^#([A-Z0-9_]+=.*)$/gm)].map(([, setting]) => setting!);

test('.env.example lists every setting with its default, each once, and nothing else', () => {
  const settings = describeSettings({}).map(({ name, value }) => `${name}=${value}`);
  expect(listed.toSorted()).toEqual(settings.toSorted());
});

test('a copy of .env.example that nobody edits changes no setting', () => {
  expect(parseEnv(file)).toEqual({});
});

test('with every # removed, .env.example is a file of valid settings', () => {
  const copy = parseEnv(file.replaceAll(/^#(?=[A-Z0-9_]+=)/gm, ''));
  expect(Object.keys(copy)).toHaveLength(listed.length);
  expect(() => loadConfig(copy)).not.toThrow();
});
