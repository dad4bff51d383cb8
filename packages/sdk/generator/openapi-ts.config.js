import { readFileSync } from 'node:fs';
import { defineConfig } from '@hey-api/openapi-ts';

const document = JSON.parse(readFileSync('openapi.json', 'utf8'));
// The calls throw each problem as a `MarketplaceError`: no type of it is generated for each operation and status.
for (const operation of Object.values(document.paths).flatMap(Object.values)) {
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    const { content } = document.components.responses[response.$ref?.split('/').at(-1)] ?? response;
    if (Number(status) >= 400 && content?.['application/problem+json']) delete operation.responses[status];
  }
}

export default defineConfig({
  input: document,
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
