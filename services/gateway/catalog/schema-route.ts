import { networks as knownNetworks, type Network } from '@adaptor-marketplace/adaptor';
import type { PackageVersions } from '@adaptor-marketplace/adaptor/chain';
import {
  callSpecJsonSchema,
  manifestJsonSchema,
  ruleManifestJsonSchema,
} from '@adaptor-marketplace/adaptor/manifest';
import { z } from 'zod';
import type { NetworkPackages } from '../../../lib/config/networks.ts';
import { route } from '../../../lib/http/route.ts';
import type { IndexWatch } from '../live/watch.ts';
import { id } from '../openapi/parts.ts';

/** The shared `Clock` of every Sui network. */
const clockObjectId = '0x6';

const jsonSchema = z.looseObject({}).meta({ description: 'A JSON Schema (draft 2020-12).' });

const callPackageId = z.string().nullable().describe('Newest version, to call; null until it is known.');

const registryIds = z.object({
  packageId: z.string().describe('As first published: the id in its types.'),
  callPackageId,
  objectId: z.string().describe('The shared Registry object.'),
  targets: z
    .object({ register: z.string(), update: z.string(), unlist: z.string(), attest: z.string() })
    .describe('Functions of `callPackageId`, or of `packageId` while that is null.'),
});

const clock = z.string().describe('The shared Clock.');

const servedNetwork = z
  .object({
    served: z.literal(true),
    chainId: z
      .string()
      .nullable()
      .describe('Digest of the genesis checkpoint; null until a node was reached.'),
    registry: registryIds,
    walletPackageId: z.string().nullable().describe('As first published.'),
    walletCallPackageId: callPackageId,
    escrowPackageId: z.string().nullable().describe('Of jobs, as first published.'),
    escrowCallPackageId: callPackageId,
    guardedPackageIds: z
      .array(z.string())
      .describe(
        'Packages whose shared objects obey their signer beyond one call, such as jobs. Hand none to an op of a stranger.',
      ),
    clock,
  })
  .meta({ id: 'ServedNetwork' });

const unservedNetwork = z
  .object({
    served: z.literal(false),
    chainId: z.null(),
    registry: z.object({
      packageId: z.null(),
      callPackageId: z.null(),
      objectId: z.null(),
      targets: z.object({ register: z.null(), update: z.null(), unlist: z.null(), attest: z.null() }),
    }),
    walletPackageId: z.null(),
    walletCallPackageId: z.null(),
    escrowPackageId: z.null(),
    escrowCallPackageId: z.null(),
    guardedPackageIds: z.null(),
    clock,
  })
  .meta({ id: 'UnservedNetwork', description: 'A network that this host does not serve.' });
const unserved: z.infer<typeof unservedNetwork> = {
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
  escrowPackageId: null,
  escrowCallPackageId: null,
  guardedPackageIds: null,
  clock: clockObjectId,
};

/** No discriminated union: OpenAPI's discriminators are strings, and generated clients would take `served` for one. */
const networkIds = z.union([servedNetwork, unservedNetwork]);

export const schemaBody = z
  .object({
    manifest: jsonSchema,
    callSpec: jsonSchema,
    ruleManifest: jsonSchema.meta({
      description: "A JSON Schema (draft 2020-12): what the rule registry's listings name.",
    }),
    networks: z.object(
      Object.fromEntries(knownNetworks.map((network) => [network, networkIds])) as Record<
        Network,
        typeof networkIds
      >,
    ),
  })
  .meta({ id: 'AdaptorSchemas', description: 'What you need to write and sign a listing yourself.' });

export interface SchemaDependencies {
  networks: readonly NetworkPackages[];
  watch: Pick<IndexWatch, 'chainId'>;
  versions: ReadonlyMap<Network, PackageVersions>;
}

const exampleTarget = (name: string) => `${id('9')}::registry::${name}`;

export const getAdaptorSchemas = route({
  method: 'get',
  path: '/api/adaptors/schema',
  cacheControl: 'public, max-age=60',
  operation: {
    operationId: 'getAdaptorSchemas',
    tag: 'catalog',
    summary: 'Get the schemas of manifests, and the ids of each network',
    response: { description: 'Schemas and ids.', schema: schemaBody },
    conditional: true,
    example: {
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
                register: exampleTarget('register'),
                update: exampleTarget('update'),
                unlist: exampleTarget('unlist'),
                attest: exampleTarget('attest'),
              },
            },
            walletPackageId: id('6'),
            walletCallPackageId: id('6'),
            escrowPackageId: null,
            escrowCallPackageId: null,
            guardedPackageIds: [id('5'), id('6')],
            clock: clockObjectId,
          },
          mainnet: unserved,
        },
      },
    },
  },
  async handler(_request, { networks, watch, versions }: SchemaDependencies) {
    const described = knownNetworks.map(async (network) => {
      const settings = networks.find((served) => served.network === network);
      return [
        network,
        settings ? await describe(settings, watch, versions.get(network)!) : unserved,
      ] as const;
    });
    return {
      manifest: manifestJsonSchema,
      callSpec: callSpecJsonSchema,
      ruleManifest: ruleManifestJsonSchema,
      networks: Object.fromEntries(await Promise.all(described)),
    };
  },
});

async function describe(
  settings: NetworkPackages,
  watch: SchemaDependencies['watch'],
  versions: PackageVersions,
): Promise<z.infer<typeof servedNetwork>> {
  const { registryPackageId: packageId, walletPackageId = null, escrowPackageId = null } = settings;
  const [callPackageId, walletCallPackageId, escrowCallPackageId] = await Promise.all([
    fetchNewestPackageId(versions, packageId),
    walletPackageId === null ? null : fetchNewestPackageId(versions, walletPackageId),
    escrowPackageId === null ? null : fetchNewestPackageId(versions, escrowPackageId),
  ]);
  const target = (name: string) => `${callPackageId ?? packageId}::registry::${name}`;
  return {
    served: true,
    chainId: watch.chainId(settings.network) ?? null,
    registry: {
      packageId,
      callPackageId,
      objectId: settings.registryObjectId,
      targets: {
        register: target('register'),
        update: target('update'),
        unlist: target('unlist'),
        attest: target('attest'),
      },
    },
    walletPackageId,
    walletCallPackageId,
    escrowPackageId,
    escrowCallPackageId,
    guardedPackageIds: listGuarded(settings),
    clock: clockObjectId,
  };
}

function listGuarded({
  registryPackageId,
  walletPackageId,
  rulesPackageId,
  allowlistPackageId,
  agentsPackageId,
  escrowPackageId,
}: NetworkPackages): string[] {
  const ids = [registryPackageId, walletPackageId, rulesPackageId, allowlistPackageId, agentsPackageId];
  return [...new Set([...ids, escrowPackageId].filter((id) => id !== undefined))];
}

async function fetchNewestPackageId(versions: PackageVersions, originalId: string): Promise<string | null> {
  const newest = await versions.newest(originalId);
  return newest.status === 'found' ? newest.value : null;
}
