import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: 'openapi.json',
  output: { path: '../src/generated', module: { extension: '.ts' } },
  plugins: [
    { name: '@hey-api/client-fetch', throwOnError: true },
    '@hey-api/typescript',
    {
      name: '@hey-api/sdk',
      auth: false,
      responseStyle: 'data',
      operations: { strategy: 'single', containerName: 'Calls', methods: 'instance' },
    },
  ],
});
