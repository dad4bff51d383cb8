import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryKv } from '../../lib/kv/memory.ts';
import { runCommand } from '../support/cli/run-command.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { adminSecret, issueTestKey } from '../support/keys.ts';
import type { SeededListing } from '../support/read-model.ts';
import { createDataDir } from '../support/service.ts';

let gateway: TestGateway;
let listing: SeededListing;
let folder: Awaited<ReturnType<typeof createDataDir>>;
let env: Record<string, string>;
beforeAll(async () => {
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 10_000, trustProxy: 0 };
  gateway = await startTestGateway(
    async (seed) => {
      listing = await seed.listing();
    },
    { access },
  );
  folder = await createDataDir();
  const file = join(folder.dir, 'admin.secret');
  await writeFile(file, `${adminSecret}\n`, { mode: 0o600 });
  const { key } = await issueTestKey(gateway.url);
  // A key in the environment must not take the place of the secret.
  env = {
    MARKETPLACE_URL: gateway.url,
    MARKETPLACE_API_KEY: key,
    MARKETPLACE_ADMIN_SECRET_FILE: file,
    USER: 'ada',
  };
});
afterAll(async () => {
  await gateway.close();
  await folder.remove();
});

const quarantine = (...words: string[]) => runCommand(['quarantine', ...words], env);
async function json(...words: string[]) {
  const { code, out, err } = await quarantine(...words, '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

test('an operator hides a listing, sees it on the record, and releases it', async () => {
  const { serviceType } = listing;
  expect((await quarantine('list')).out).toBe('nothing is in quarantine\n');
  const added = await json('add', serviceType, '--reason', 'It drains \u202egrants');
  expect(added).toMatchObject({ subject: serviceType, operator: 'ada', released: null });
  const listed = await quarantine('list');
  expect(listed.out).toContain(serviceType);
  expect(listed.out).not.toContain('\u202e');
  const again = await quarantine('add', serviceType, '--reason', 'Twice');
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('409 already_quarantined')]);
  const released = await json('release', serviceType, '--reason', 'Fixed', '--operator', 'Ben');
  expect(released).toMatchObject({ operator: 'ada', released: { operator: 'Ben', reason: 'Fixed' } });
  const { code, err } = await quarantine('release', serviceType, '--reason', 'Twice');
  expect([code, err]).toEqual([1, expect.stringContaining('404 quarantine_not_found')]);
  expect((await json('list', '--all')).quarantines).toEqual([released]);
  expect((await json('list')).quarantines).toEqual([]);
});

test('a release by the id of another quarantine ends nothing', async () => {
  const { serviceType } = listing;
  const shown = await json('add', serviceType, '--reason', 'A mistake?');
  await json('release', serviceType, '--reason', 'Fixed', '--id', String(shown.id));
  const newest = await json('add', serviceType, '--reason', 'It steals');
  const release = ['release', serviceType, '--reason', 'Fixed', '--id'];
  const { code, err } = await quarantine(...release, String(shown.id));
  expect([code, err]).toEqual([1, expect.stringContaining('409 quarantine_changed')]);
  expect((await quarantine('list')).out).toMatch(new RegExp(`^${newest.id} `, 'm'));
  expect(await json(...release, String(newest.id))).toMatchObject({ id: newest.id });
});

test.each<[string, string[], Record<string, string>, RegExp]>([
  ['without the secret', ['list'], { MARKETPLACE_ADMIN_SECRET_FILE: '' }, /MARKETPLACE_ADMIN_SECRET_FILE/],
  ['without a name', ['add', '0x7', '--reason', 'Bad'], { USER: '' }, /--operator/],
  ['without a reason', ['add', '0x7'], {}, /--reason/],
  ['with a subject that names nothing', ['add', 'jar', '--reason', 'Bad'], {}, /Expected a service type/],
])('a command %s says what is missing', async (_, words, changed, message) => {
  const { code, err } = await runCommand(['quarantine', ...words], { ...env, ...changed });
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});
