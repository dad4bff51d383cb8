import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandNames, run } from './run.ts';

async function command(words: string[], env: Record<string, string> = {}) {
  const said = { out: '', err: '' };
  const code = await run(words, {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    env,
    liveErr: false,
  });
  return { code, ...said };
}

const serviceType = `0x${'a'.repeat(64)}::jar::Jar`;

test.each(commandNames)('%s says what it takes', async (name) => {
  const { code, out } = await command([name, '--help']);
  expect(code).toBe(0);
  expect(out).toContain(`Usage: adaptor-marketplace ${name} `);
});

test.each([
  ['an unknown command', ['nope']],
  ['an unknown option', ['catalog', '--nope']],
  ['a missing argument', ['infer', '0x2']],
  ['no address', ['introspect', 'me']],
  ['a score that is none', ['attest', serviceType, '6']],
  ['no service type', ['attest', 'jar', '5']],
  ['a url that is none', ['catalog', '--url', 'ftp://x']],
  ['a key on the command line', ['attest', serviceType, '5', '--key', 'suiprivkey1']],
  ['no key', ['attest', serviceType, '5']],
  ['neither a package nor a draft', ['register']],
  ['an amount that is none', ['call', 'tip', '--amount', '1.5']],
])('%s ends with 2 and is told on standard error alone', async (_, words) => {
  const { code, out, err } = await command(words);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).not.toBe('');
});

test('a marketplace that does not answer ends with 1, and it is said how to name another', async () => {
  // No server has this port.
  const { code, err } = await command(['catalog'], { MARKETPLACE_URL: 'http://127.0.0.1:2' });
  expect(code).toBe(1);
  expect(err).toMatch(/MARKETPLACE_URL/);
});

test('the list of commands is complete', () => {
  const bin = join(import.meta.dirname, '../bin/adaptor-marketplace.js');
  const { stdout } = spawnSync(process.execPath, [bin], { encoding: 'utf8' });
  const listed = [...stdout.matchAll(/^ {2}(\S+) /gm)].map(([, name]) => name);
  expect(listed).toEqual(['localnet', ...commandNames]);
});
