import type { OperationExample } from './example.ts';

export const operationsExamples: Record<string, OperationExample> = {
  healthz: { answer: { status: 'ok' } },
  readyz: { answer: { status: 'ready' } },
  status: {
    answer: {
      networks: {
        testnet: {
          chainId: '69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD',
          catalogVersion: 12,
          sources: [
            {
              name: 'registry',
              ready: true,
              hasCursor: true,
              checkpoint: 2041,
              chainTip: 2041,
              lagSeconds: 1,
              events: 96,
              undecodedEvents: 0,
              lastError: null,
              lastErrorMs: null,
              stoppedMs: null,
              removedMs: null,
            },
          ],
          listings: {
            listed: 9,
            unlisted: 1,
            badNames: 0,
            manifestErrors: 0,
            publisherChecks: { verified: 9 },
            witnessChecks: { valid: 9 },
          },
          manifests: { verified: 9 },
        },
      },
    },
  },
  metrics: {
    answer:
      '# HELP catalog_entries Adaptors in the catalog.\n# TYPE catalog_entries gauge\ncatalog_entries{network="testnet"} 9\n',
  },
};
