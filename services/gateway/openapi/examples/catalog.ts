import type { OperationExample } from './example.ts';
import {
  atMs,
  id,
  manifest,
  manifestHash,
  manifestUri,
  packageId,
  publisher,
  serviceType,
} from './values.ts';

const target = (name: string) => `${id('9')}::registry::${name}`;

export const catalogExamples: Record<string, OperationExample> = {
  listAdaptors: {
    query: { q: 'tip', limit: '1' },
    answer: {
      network: 'testnet',
      count: 1,
      adaptors: [
        {
          serviceType,
          packageId,
          publisher,
          publisherVerified: true,
          manifestUri,
          manifestHash,
          version: 1,
          updatedAtMs: atMs,
          manifest,
          notExecutable: [],
          manifestVerified: true,
          source: 'registry',
          usage: { actions: 12, uniqueVaults: 5, lastActionMs: atMs },
          reviews: { count: 2, avg: 4.5, verifiedCount: 1, verifiedAvg: 5, lastMs: atMs },
          warnings: [],
          firstListedAtMs: atMs,
          alikeNames: [],
        },
      ],
    },
  },
  adaptorSchemas: {
    answer: {
      manifest: {
        type: 'object',
        required: ['name', 'category', 'summary', 'serviceType', 'packageId', 'ops'],
      },
      callSpec: { type: 'object', required: ['typeArgs', 'args'] },
      ruleManifest: { type: 'object', required: ['name', 'ruleType', 'packageId'] },
      networks: {
        testnet: {
          served: true,
          chainId: '69WiPg3DAQiwdxfncX6wYQ2siKwAe6L9BZthQea3JNMD',
          registry: {
            packageId: id('9'),
            callPackageId: id('9'),
            objectId: id('8'),
            targets: {
              register: target('register'),
              update: target('update'),
              unlist: target('unlist'),
              attest: target('attest'),
            },
          },
          walletPackageId: id('6'),
          walletCallPackageId: id('6'),
          guardedPackageIds: [id('5'), id('6')],
          clock: '0x6',
        },
        mainnet: {
          served: false,
          chainId: null,
          registry: {
            packageId: null,
            callPackageId: null,
            objectId: null,
            targets: { register: null, update: null, unlist: null, attest: null },
          },
          walletPackageId: null,
          walletCallPackageId: null,
          guardedPackageIds: null,
          clock: '0x6',
        },
      },
    },
  },
};
