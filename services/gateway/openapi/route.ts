import { z } from 'zod';
import { cached, digestOf } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import type { OpenApiDocument } from './components.ts';

export interface DescriptionDependencies {
  document: OpenApiDocument;
}

const send = cached(({ document }: DescriptionDependencies) => {
  const body = Buffer.from(JSON.stringify(document));
  return { body, contentType: 'application/json', cacheControl: 'public, max-age=300', tag: digestOf(body) };
});

export const getOpenApi = route({
  method: 'get',
  path: '/api/adaptors/openapi.json',
  operation: {
    operationId: 'getOpenApi',
    tag: 'catalog',
    summary: 'Get this description',
    response: { description: 'An OpenAPI 3.1.0 document.', schema: z.looseObject({}) },
    conditional: true,
    example: {
      answer: { openapi: '3.1.0', info: { title: 'Adaptor marketplace', version: '0.1.0' }, paths: {} },
    },
  },
  handler: ({ exchange }, dependencies: DescriptionDependencies) => send(exchange, dependencies),
});
