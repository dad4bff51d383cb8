import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../run.ts';

const [owner, wallet] = ['a', 'b'].map((digit) => `0x${digit.repeat(64)}`) as [string, string];

/** Runs an action on a marketplace that answers with this line, and returns the body of the request. */
async function runAt(answer: string, words: string[]) {
  let body: unknown;
  const server = createServer(async (req, res) => {
    body = await json(req);
    res.end(`${answer}\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = { MARKETPLACE_URL: `http://127.0.0.1:${port}`, MARKETPLACE_EXECUTOR_KEY: 'ek_test' };
  const line = ['run', 'spend', '--owner', owner, '--wallet', wallet, ...words];
  let err = '';
  const code = await run(line, {
    out() {},
    err(text) {
      err += text;
    },
    env,
    liveErr: false,
  });
  return { code, err, body };
}

async function runAction(...words: string[]): Promise<unknown> {
  const { body, ...ended } = await runAt('{"step":"confirm","status":"done","digest":"D"}', words);
  expect(ended).toEqual({ code: 0, err: '' });
  return body;
}

test('a request id that is a field of the action counts, unless an option states another one', async () => {
  expect(await runAction('requestId=once', 'network=mainnet')).toMatchObject({
    requestId: 'once',
    network: 'mainnet',
    owner,
    walletId: wallet,
  });
  expect(await runAction('requestId=once', '--request-id', 'twice')).toMatchObject({ requestId: 'twice' });
});

test('the id of a request that states none is printed before its first step, and is sent', async () => {
  const { code, err, body } = await runAt('{"step":"confirm","status":"done","digest":"D"}', []);
  expect(code).toBe(0);
  const { requestId } = body as { requestId: string };
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(err).toBe(`request  --request-id ${requestId} attaches to this run\n`);
});

test('a run that was lost names the id that attaches to it, and no other marketplace', async () => {
  const { code, err } = await runAt('{"step":"validate","status":"done"}', ['--request-id', 'once']);
  expect(code).toBe(1);
  expect(err).toMatch(/^error: The run was lost: it may go on\. Its requestId is once\./);
  expect(err).toContain('The same command with --request-id and this id attaches to it');
  expect(err).not.toContain('npm start');
});
