import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordSourceFetch } from '../../db/queries/package-sources/named.ts';
import { runCommand } from '../support/cli/run-command.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { address } from '../support/read-model.ts';

const packageId = address(0xe1);
const serviceType = `${packageId}::egg::Egg`;
const named = { repository: 'https://github.com/reef/contracts', commit: 'c'.repeat(40), path: 'egg' };
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway(async (seed) => {
    await seed.listing({ serviceType, row: { packageId }, manifest: { source: named } });
    await seed.source({ checkpoint: 900 });
  });
});
afterAll(() => gateway.close());

const source = async () =>
  (await runCommand(['source', serviceType], { MARKETPLACE_URL: gateway.url })).out.split('\n');

test('the command line says why a named commit was not read, and when it is tried again', async () => {
  const job = { packageId, ...named, attempts: 1 };
  const reason = 'The host answered 404.';
  expect(await source()).toContain('verdict     not offered');
  for (const [nextAfterSeconds, state, next] of [
    [60, 'waiting', /^next {8}20\S+Z$/m],
    [null, 'failed', /^next {8}none: name another commit/m],
  ] as const) {
    await recordSourceFetch(gateway.db.pool, 'testnet', job, { offer: null, reason, nextAfterSeconds });
    const lines = await source();
    expect(lines).toContain(`commit      ${named.repository}@${named.commit}:egg, ${state}`);
    expect(lines).toContain(`reason      ${reason}`);
    expect(lines.join('\n')).toMatch(next);
  }
});
