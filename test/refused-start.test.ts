import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { createDataDir, postgresPid, startService } from './support/service.ts';

const blocker = createServer();
let taken: string;
let dataDir: Awaited<ReturnType<typeof createDataDir>>;

beforeAll(async () => {
  dataDir = await createDataDir();
  await once(blocker.listen(0, '127.0.0.1'), 'listening');
  taken = String((blocker.address() as AddressInfo).port);
});
afterAll(async () => {
  blocker.close();
  await dataDir.remove();
});

test.each([
  ['PORT', () => taken, /PORT: port \d+ is in use/],
  ['LOCALNET_PORT', () => taken, /LOCALNET_PORT: port \d+ is in use/],
  ['DATABASE_URL', () => 'postgres://127.0.0.1:1/none', /DATABASE_URL: .*ECONNREFUSED/],
])(
  'a start that %s makes impossible ends by itself, says why and leaves nothing running',
  async (name, value, why) => {
    const service = startService(dataDir.dir, [], { [name]: value() });
    onTestFailed(() => void service.process.kill('SIGKILL'));
    expect(await service.exited).toBe(1);
    expect(service.output()).toMatch(why);
    expect(await postgresPid(dataDir.dir)).toBeUndefined();
  },
);
