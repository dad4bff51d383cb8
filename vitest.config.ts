import { defineConfig } from 'vitest/config';

const exclude = ['**/node_modules/**', '.data/**'];

// Packages are resolved as node does it. Vite's own list has "development", by which graphql is loaded twice.
const resolve = { conditions: ['module-sync', 'node'] };
const ssr = { resolve };

export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          include: ['{bench,cli,db,graphql,lib,move,services}/**/*.test.ts'],
          exclude,
          globalSetup: ['test/support/postgres-server.ts', 'test/support/redis.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude,
          globalSetup: ['test/support/postgres-server.ts', 'test/support/redis.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Whole-system tests start processes of their own; two cores bear two of them at once.
          maxWorkers: 2,
        },
      },
    ],
  },
});
