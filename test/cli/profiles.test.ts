import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveAnswers } from '../support/cli/marketplace-double.ts';
import { runCommand } from '../support/cli/run-command.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'profiles-'));
  file = join(folder, 'adaptor-marketplace/profiles.json');
});
afterEach(() => rm(folder, { recursive: true }));

const command = (words: string, env: Record<string, string> = {}) =>
  runCommand(words.split(' '), { XDG_CONFIG_HOME: folder, DATA_DIR: '/never', ...env });
const marketplace = (network = 'testnet') => serveAnswers(() => JSON.stringify({ network, adaptors: [] }));

test('a profile names the marketplace, and an option or a variable stands before the one in use', async () => {
  const [one, two, three] = [await marketplace(), await marketplace(), await marketplace()];
  expect((await command(`profile add one --url ${one.url} --network testnet`)).code).toBe(0);
  expect((await command(`profile add two --url ${two.url} --rpc http://127.0.0.1:2`)).code).toBe(0);
  expect((await command('profile use one')).code).toBe(0);
  const asked = async (words: string, env?: Record<string, string>) => {
    const before = [one, two, three].map((each) => each.asked.length);
    const { code, err } = await command(words, env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return [one, two, three].map((each, at) => each.asked.length - before[at]!);
  };
  expect(await asked('catalog')).toEqual([1, 0, 0]);
  expect(await asked('catalog --profile two')).toEqual([0, 1, 0]);
  expect(await asked('catalog', { MARKETPLACE_PROFILE: 'two' })).toEqual([0, 1, 0]);
  expect(await asked(`catalog --url ${three.url}`)).toEqual([0, 0, 1]);
  expect(await asked('catalog', { MARKETPLACE_URL: three.url })).toEqual([0, 0, 1]);
  expect(await asked('catalog --profile two', { MARKETPLACE_URL: three.url })).toEqual([0, 1, 0]);
  const listed = JSON.parse((await command('profile list --json')).out);
  expect(listed).toEqual({
    current: 'one',
    profiles: [
      { name: 'one', url: one.url, network: 'testnet' },
      { name: 'two', url: two.url, rpc: 'http://127.0.0.1:2' },
    ],
  });
  expect((await command('profile list')).out).toMatch(/^one \* +http/m);
  expect((await command('profile remove one')).code).toBe(0);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    profiles: { two: { url: two.url, rpc: 'http://127.0.0.1:2' } },
  });
});

test('the file is for its owner alone, and holds no secret: a field of one is refused', async () => {
  await command('profile add main --url https://market.example');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const credentials = await command('profile add main --url https://user:secret@market.example');
  expect(credentials).toMatchObject({ code: 2, out: '' });
  await writeFile(
    file,
    JSON.stringify({ profiles: { main: { url: 'https://market.example', apiKey: 'mk_1' } } }),
  );
  const { code, err } = await command('catalog --profile main');
  expect(code).toBe(1);
  expect(err).toMatch(/^error: .*profiles\.json is not a valid file of profiles .*Fix it, or remove it\.\n$/);
  expect(err).not.toContain('mk_1');
});

test.each([
  [
    'catalog --profile nope',
    2,
    /^error: There is no profile nope\. Profiles: none\. Create it: adaptor-marketplace profile add nope --url <url>\n$/,
  ],
  ['profile use nope', 1, /There is no profile nope/],
  ['profile remove nope', 1, /There is no profile nope/],
  ['profile add ../x --url http://127.0.0.1:2', 2, /Expected a name of letters, digits and hyphens/],
  ['profile add none --url http://127.0.0.1:2', 2, /Choose another name/],
  ['profile add x', 2, /required option '--url/],
  ['catalog --profile x --url http://127.0.0.1:2', 2, /cannot be used with/],
  ['profile nope', 2, /unknown command 'nope'/],
] as const)('%s ends with %i and one line that says what to do', async (words, code, said) => {
  const answer = await command(words);
  expect(answer).toMatchObject({ code, out: '' });
  expect(answer.err).toMatch(said);
});
