import { kept } from '../respond/kept.ts';
import { digestOf } from '../respond/representation.ts';
import { createOpenApiDocument } from './document.ts';

/** `GET /api/adaptors/openapi.json`. */
export const openapi = kept(() => {
  const body = Buffer.from(JSON.stringify(createOpenApiDocument()));
  return { body, contentType: 'application/json', cacheControl: 'public, max-age=300', tag: digestOf(body) };
});
