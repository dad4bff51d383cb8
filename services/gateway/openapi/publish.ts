import type { z } from 'zod';
import type { ZodOpenApiPathItemObject, ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { draftBody, draftRequest } from '../publish/draft/shapes.ts';
import { inferenceBody, inferRequest } from '../publish/infer-route.ts';
import { introspectRequest } from '../publish/introspect-route.ts';
import { introspectionBody } from '../publish/introspection.ts';
import { identified, ok, refused } from './responses.ts';

interface PublishHelper {
  operationId: string;
  summary: string;
  description: string;
  request: z.ZodType;
  answer: z.ZodType;
  /** What the chain can say no to, beside a package that is not there or cannot be read. */
  refusals?: string;
  /** Statuses beyond those that all helpers have. */
  more?: Record<string, ZodOpenApiResponseObject>;
}

/** A helper for whoever publishes an adaptor: it reads the chain, and changes nothing. */
function publishHelper(helper: PublishHelper): ZodOpenApiPathItemObject {
  const { operationId, summary, description, request, answer, refusals = '', more } = helper;
  return {
    post: {
      operationId,
      tags: ['publish'],
      summary,
      description,
      requestBody: { required: true, content: { 'application/json': { schema: request } } },
      responses: {
        200: ok('As the chain has it.', answer, identified),
        400: refused(
          'The body is no JSON object, or a field is missing or wrong; errors names each. `network_not_configured`: ' +
            'this host does not serve the network.',
        ),
        413: refused('The body is too large.'),
        415: refused('The body is not sent as application/json in UTF-8.'),
        422: refused(
          '`package_not_found`: this network has no such package. `package_too_large`: its functions are more than ' +
            `an answer tells of. \`unreadable_bytecode\`: it is not Move as this host knows it.${refusals}`,
        ),
        502: refused("`node_unavailable`: the network's node could not answer."),
        503: refused('`node_busy`: too much is being looked up.'),
        504: refused("`node_timeout`: the network's node took too long."),
        ...more,
      },
    },
  };
}

/** What turns a deployed package into a listing. */
export const publishPaths: ZodOpenApiPathsObject = {
  '/api/adaptors/introspect': publishHelper({
    operationId: 'introspectPackage',
    summary: "A package's operations, and what their arguments are for",
    description:
      'Names of parameters are not on chain: roles are guessed from types and from what the bytecode does with each ' +
      'argument.',
    request: introspectRequest,
    answer: introspectionBody,
  }),
  '/api/adaptors/infer': publishHelper({
    operationId: 'inferCall',
    summary: "What a function's past calls say about its arguments",
    description:
      'Objects, values and type arguments of the latest successful calls, within bounds of time and number. What an ' +
      'earlier command had made, what belonged to the sender, and the wallets of others are no candidates.',
    request: inferRequest,
    answer: inferenceBody,
    refusals:
      ' `function_not_found`, `function_ambiguous` (detail names the candidates), `function_not_callable`.',
    more: {
      503: refused('`node_busy`. `call_index_missing`: the node of this host keeps no index of calls.'),
    },
  }),
  '/api/adaptors/draft': publishHelper({
    operationId: 'draftListing',
    summary: 'A manifest for a package, and the unsigned call that lists it',
    description:
      'Introspects the package, reads past calls of its ops, and builds, hashes and, if asked, stores the manifest. ' +
      'With an API key the listing is attributed to its integrator, unless the body names one.',
    request: draftRequest,
    answer: draftBody,
    refusals:
      ' `no_witness`, `several_witnesses` and `witness_not_found`: errors lists the witnesses. `witness_not_usable`: ' +
      'no catalog shows a service of it, and detail says why. `object_not_found`. ' +
      '`values_mismatch`: detail says which values the op takes. ' +
      '`manifest_invalid`: more than a manifest may hold.',
    more: {
      502: refused(
        '`node_unavailable`. `upload_failed`: Walrus does not have the manifest, so it has no uri.',
      ),
      503: refused(
        '`node_busy`. `publisher_not_configured`: no upload here. `upload_busy`. ' +
          '`kv_unavailable`: the API key cannot be checked now.',
      ),
      504: refused('`node_timeout`. `upload_timeout`: Walrus took too long.'),
    },
  }),
};
