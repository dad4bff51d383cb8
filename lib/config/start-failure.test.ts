import { expect, test } from 'vitest';
import { loadConfig } from './index.ts';
import { startFailure } from './start-failure.ts';

const settings = {
  host: '10.9.8.7',
  dataDir: '/srv/data',
  ports: loadConfig({ EMBEDDED_POSTGRES_PORT: '5433' }).ports,
  toolsHost: '10.9.8.6',
  toolsPort: 8081,
  agentHost: '10.9.8.7',
  agentPort: 8082,
};
const failure = (fields: object) => startFailure(Object.assign(new Error('failed'), fields), settings);

test.each([
  [
    { code: 'EADDRINUSE', syscall: 'listen', port: 8080 },
    /^PORT: port 8080 is in use\. Stop what uses it, or set PORT to another port;/,
  ],
  [{ code: 'EADDRINUSE', syscall: 'listen', port: 9000 }, /^LOCALNET_PORT: port 9000 is in use/],
  [{ code: 'EADDRINUSE', syscall: 'listen', port: 9123 }, /^LOCALNET_FAUCET_PORT: port 9123 is in use/],
  [{ code: 'EADDRINUSE', syscall: 'listen', port: 31_415 }, /^LOCALNET_BLOBS_PORT: port 31415 is in use/],
  [{ code: 'EADDRINUSE', syscall: 'listen', port: 5433 }, /^EMBEDDED_POSTGRES_PORT: port 5433 is in use/],
  [{ code: 'EACCES', syscall: 'listen', port: 8080 }, /^PORT: this user may not listen/],
  [{ code: 'EADDRINUSE', syscall: 'listen', port: 8081 }, /^TOOLS_PORT: port 8081 is in use/],
  [{ code: 'EADDRINUSE', syscall: 'listen', port: 8082 }, /^AGENT_PORT: port 8082 is in use/],
  [{ code: 'EADDRNOTAVAIL', syscall: 'listen', address: '10.9.8.7' }, /^HOST and AGENT_HOST: 10\.9\.8\.7/],
  [{ code: 'EADDRNOTAVAIL', syscall: 'listen', address: '10.9.8.6' }, /^TOOLS_HOST: 10\.9\.8\.6/],
  [{ code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: '10.9.8.6' }, /^TOOLS_HOST: 10\.9\.8\.6/],
  [{ code: 'EACCES', syscall: 'mkdir', path: '/srv/data/postgres' }, /^DATA_DIR: \/srv\/data/],
  [{ code: 'ENOENT', syscall: 'mkdir', path: '/srv' }, /^DATA_DIR: \/srv\/data/],
])('a start that fails by a setting names it: %o', (fields, message) => {
  expect(failure(fields)).toMatchObject({ code: 'bad_settings', message: expect.stringMatching(message) });
});

test('a failure of anything else is left as it is', () => {
  for (const fields of [
    { code: 'ENOENT', path: '/other' },
    { code: 'ENOENT', path: '/srv/data-documents.json' },
    { code: 'ENOTFOUND', hostname: 'node.test' },
    {},
  ]) {
    expect(failure(fields)).not.toHaveProperty('cause');
  }
});
