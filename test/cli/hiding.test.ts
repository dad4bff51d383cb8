import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryKv } from '../../lib/kv/memory.ts';
import { runCommand } from '../support/cli/run-command.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { adminSecret } from '../support/keys.ts';
import { address } from '../support/read-model.ts';

const publisher = address(0xa1);
const uri = `walrus://${'t'.repeat(43)}`;
let gateway: TestGateway;
beforeAll(async () => {
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 10_000, trustProxy: 0 };
  gateway = await startTestGateway(
    async (seed) => {
      const listed = await seed.listing({
        publisher,
        manifest: { profile: { icon: 'https://reef.example/icon.png' } },
      });
      await seed.attestation(listed.serviceType, address(1), 4, 'testnet', uri);
    },
    { access },
  );
});
afterAll(() => gateway.close());

const run = (...words: string[]) =>
  runCommand(words, {
    MARKETPLACE_URL: gateway.url,
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    USER: 'ada',
  });
const picture = (...words: string[]) => run('picture', ...words);
const text = (...words: string[]) => run('review-text', ...words);

test('an operator hides an icon, sees it in the list, and shows it again', async () => {
  expect((await picture('list')).out).toBe('no picture is hidden\n');
  expect(await picture('hide', '0xa1', '--reason', 'It shows the mark of a bank')).toMatchObject({ code: 0 });
  const { out } = await picture('list');
  expect(out).toMatch(/by ada +It shows the mark of a bank +https:\/\/reef\.example\/icon\.png/);
  expect(await picture('show', publisher)).toMatchObject({
    code: 0,
    out: `shown again: the picture of ${publisher}\n`,
  });
  const again = await picture('show', publisher);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('404 picture_not_found')]);
  expect((await picture('hide', 'reef', '--reason', 'r')).err).toContain(
    'a coin type, or the address of a publisher',
  );
});

test('an operator hides the text of a review, sees it in the list, and shows it again', async () => {
  expect((await text('list')).out).toBe('no text is hidden\n');
  expect(await text('hide', uri, '--reason', 'It insults a person')).toMatchObject({ code: 0, err: '' });
  const { out } = await text('list');
  expect(out).toMatch(/^walrus:\/\/t{43} +\S+ by ada +It insults a person$/m);
  expect(JSON.parse((await text('list', '--json')).out)).toMatchObject({ count: 1, texts: [{ uri }] });
  expect(await text('show', uri)).toMatchObject({ code: 0, out: `shown again: the text of ${uri}\n` });
  const again = await text('show', uri);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('404 text_not_found')]);
  expect((await text('hide', 'reef', '--reason', 'r')).err).toContain('a uri, as the review names it');
});
