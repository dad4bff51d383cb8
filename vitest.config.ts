import { resolve as absolute } from 'node:path';
import { defineConfig } from 'vitest/config';

// What each worker and each process of a test compiles of the same sources is compiled once.
process.env.NODE_COMPILE_CACHE ??= absolute('node_modules/.cache/adaptor-marketplace/node');

const exclude = ['**/node_modules/**', '.data/**'];

// The local network, the Move toolchain and what others install are products of their own, beside the service.
const ownProducts = [
  'packages/{localnet,move-toolchain}/**/*.test.ts',
  'test/{localnet,sdk}/**/*.test.ts',
  'test/repository/packages.test.ts',
];

// Packages are resolved as node does it. Vite's own list has "development", by which graphql is loaded twice.
const resolve = { conditions: ['module-sync', 'node'] };
const ssr = { resolve };

const shared = {
  // Loading everything again for each file took as long as the tests themselves.
  isolate: false,
  // Limits are for what hangs: the slowest machine must not reach them with work.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 240_000, interval: 20 } },
};

// Tests also wait: for servers and processes that start, for checkpoints, for browsers. Files of the system use two fifths of
// a processor each, so a fourth keeps two cores busy.
const unitWorkers = 3;
const systemWorkers = 4;

export default defineConfig({
  test: {
    // All projects share these.
    globalSetup: [
      'test/support/postgres-server.ts',
      'test/support/redis-server.ts',
      'test/support/demo-folder.ts',
    ],
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          setupFiles: ['test/support/citus/expect-planned.ts'],
          include: ['{bench,db,docs,graphql,lib,move,packages,services,web}/**/*.test.ts'],
          exclude: [...exclude, ...ownProducts],
          ...shared,
          maxWorkers: unitWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'packages',
          include: ownProducts,
          exclude,
          ...shared,
          maxWorkers: systemWorkers,
          // One group with the system: the last files of one project would otherwise leave workers idle.
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...ownProducts],
          setupFiles: ['test/support/rpcs/expect-known.ts', 'test/support/citus/expect-planned.ts'],
          ...shared,
          maxWorkers: systemWorkers,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
