import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryKv } from '../../lib/kv/memory.ts';
import { runCommand } from '../support/cli/run-command.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { adminSecret } from '../support/keys.ts';
import { address } from '../support/read-model.ts';

const publisher = address(0xa1);
let gateway: TestGateway;
beforeAll(async () => {
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 10_000, trustProxy: 0 };
  gateway = await startTestGateway(
    async (seed) => {
      await seed.listing({ publisher, manifest: { profile: { icon: 'https://reef.example/icon.png' } } });
    },
    { access },
  );
});
afterAll(() => gateway.close());

const picture = (...words: string[]) =>
  runCommand(['picture', ...words], {
    MARKETPLACE_URL: gateway.url,
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    USER: 'ada',
  });

test('an operator hides an icon, sees it in the list, and shows it again', async () => {
  expect((await picture('list')).out).toBe('no picture is hidden\n');
  expect(await picture('hide', '0xa1', '--reason', 'It shows the mark of a bank')).toMatchObject({ code: 0 });
  const { out } = await picture('list');
  expect(out).toMatch(/by ada +It shows the mark of a bank +https:\/\/reef\.example\/icon\.png/);
  expect(await picture('show', publisher)).toMatchObject({
    code: 0,
    out: `${publisher} shows its picture again\n`,
  });
  const again = await picture('show', publisher);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('404 picture_not_found')]);
  expect((await picture('hide', 'reef', '--reason', 'r')).err).toContain(
    'a coin type, or the address of a publisher',
  );
});
