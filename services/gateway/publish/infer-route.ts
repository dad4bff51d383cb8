import { type FoundOp, findOp } from '@adaptor-marketplace/adaptor/infer/find-op';
import { type Inference, inferenceSchema } from '@adaptor-marketplace/adaptor/infer/inference';
import type { IntrospectedOp } from '@adaptor-marketplace/adaptor/introspect/types';
import { z } from 'zod';
import { problem } from '../../../lib/errors/index.ts';
import { addressParameter, networkParameter } from '../request/parameters.ts';
import type { PublishHost } from './host.ts';
import type { Inferences } from './inferences.ts';
import { publishRoute } from './route.ts';

const entry = z
  .string()
  .max(258)
  .regex(/^(\w+::)?\w+$/, 'expected function or module::function')
  .meta({ description: 'A function, with its module where several modules have one of that name.' });

/** Body of `POST /api/adaptors/infer`. */
export const inferRequest = z.object({
  packageId: addressParameter,
  entry,
  network: networkParameter,
  allVersions: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether calls to other versions of the package count too: to the nine latest.' }),
});

/** Its answer. */
export const inferenceBody = inferenceSchema.meta({ id: 'Inference' });

/** `POST /api/adaptors/infer`: what the past calls of one function say about its arguments. */
export function infer(host: PublishHost, inferences: Inferences) {
  return publishRoute(host, {
    body: inferRequest,
    async answer({ request: { packageId, entry, allVersions }, chain, signal }): Promise<Inference> {
      const introspection = await chain.introspect(packageId, signal);
      const op = callableOp(findOp(introspection, entry), entry);
      return inferences(chain, { packageId, op, allVersions }, signal);
    },
  });
}

/** @throws ProblemError 422 where the name stands for no function that can be called, or for several */
function callableOp(found: FoundOp, entry: string): IntrospectedOp {
  if (found.status === 'found') return found.op;
  if (found.status === 'unknown') {
    throw problem(
      'function_not_found',
      `The package has no function ${entry}. POST /api/adaptors/introspect lists its functions.`,
    );
  }
  const names = found.names.slice(0, namesMax).join(', ');
  if (found.status === 'uncallable') {
    throw problem('function_not_callable', `No transaction can call ${names}: neither public nor entry.`);
  }
  throw problem('function_ambiguous', `Several modules have a function ${entry}. Name one of ${names}.`);
}

const namesMax = 50;
