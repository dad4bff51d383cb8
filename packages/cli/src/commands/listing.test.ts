import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../run.ts';

test.each(['--save', '--save-manifest'])('a draft whose %s is a folder is not requested', async (option) => {
  const folder = await mkdtemp(join(tmpdir(), 'draft-'));
  const requests: string[] = [];
  const server = createServer((req, res) => {
    requests.push(req.url!);
    res.writeHead(400).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  const env = { MARKETPLACE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  let err = '';
  const words = ['--name', 'Nest Egg', '--summary', 'Keeps coins.', '--upload', option, folder];
  const code = await run(['draft', '0x2', ...words], {
    out() {},
    err(text) {
      err += text;
    },
    env,
    liveErr: false,
  });
  expect({ code, err, requests }).toEqual({
    code: 2,
    err: `error: ${folder} is a folder. Expected a file.\n`,
    requests: [],
  });
});
