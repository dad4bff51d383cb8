import { defineConfig } from 'vitest/config';

const exclude = ['**/node_modules/**', '.data/**'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{bench,cli,db,graphql,lib,move,services}/**/*.test.ts'],
          exclude,
          globalSetup: 'test/support/postgres-server.ts',
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude,
          globalSetup: 'test/support/postgres-server.ts',
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Whole-system tests start processes of their own; two cores bear two of them at once.
          maxWorkers: 2,
        },
      },
    ],
  },
});
