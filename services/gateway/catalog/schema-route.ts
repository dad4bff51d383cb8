import { z } from 'zod';
import { callSpecJsonSchema, manifestJsonSchema } from '../../../lib/adaptor/manifest.ts';
import { ruleManifestJsonSchema } from '../../../lib/adaptor/rule-manifest.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import type { GatewayNetwork } from '../options.ts';
import { sendJson } from '../respond/representation.ts';
import { type Exchange, splitUrl } from '../server/exchange.ts';
import type { IndexWatch } from './watch.ts';

/** The shared `Clock` of every Sui network. */
const clockObjectId = '0x6';

const jsonSchema = z.looseObject({}).meta({ description: 'A JSON Schema (draft 2020-12).' });

const registryIds = z.object({
  packageId: z.string(),
  objectId: z.string().describe('The shared Registry object.'),
  targets: z
    .object({ register: z.string(), update: z.string(), unlist: z.string(), attest: z.string() })
    .describe('Functions as a transaction names them.'),
});

export const schemaBody = z
  .object({
    manifest: jsonSchema,
    callSpec: jsonSchema,
    ruleManifest: jsonSchema.meta({
      description: "A JSON Schema (draft 2020-12): what the rule registry's listings name.",
    }),
    networks: z.record(
      z.string(),
      z.object({
        chainId: z
          .string()
          .nullable()
          .describe('Digest of the genesis checkpoint; null until a node was reached.'),
        registry: registryIds,
        walletPackageId: z.string().nullable(),
        clock: z.string().describe('Id of the shared Clock object.'),
      }),
    ),
  })
  .meta({ id: 'AdaptorSchemas', description: 'All that is needed to write and sign a listing oneself.' });

/** `GET /api/adaptors/schema`. */
export function adaptorSchemas(networks: readonly GatewayNetwork[], watch: IndexWatch) {
  return async (exchange: Exchange): Promise<void> => {
    parseQuery(z.object({}), splitUrl(exchange.req.url ?? '').search);
    const body = {
      manifest: manifestJsonSchema,
      callSpec: callSpecJsonSchema,
      ruleManifest: ruleManifestJsonSchema,
      networks: Object.fromEntries(networks.map((settings) => [settings.network, describe(settings, watch)])),
    };
    await sendJson(exchange, body, 'public, max-age=60');
  };
}

function describe(settings: GatewayNetwork, watch: IndexWatch) {
  const packageId = settings.registryPackageId;
  const target = (name: string) => `${packageId}::registry::${name}`;
  return {
    chainId: watch.chainId(settings.network) ?? null,
    registry: {
      packageId,
      objectId: settings.registryObjectId,
      targets: {
        register: target('register'),
        update: target('update'),
        unlist: target('unlist'),
        attest: target('attest'),
      },
    },
    walletPackageId: settings.walletPackageId ?? null,
    clock: clockObjectId,
  };
}
