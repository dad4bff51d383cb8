import type { Route } from '../../../lib/http/route.ts';
import { operationPage, type Reference, referenceOverview } from '../../../web/pages/reference.ts';
import { prepareHighlighter } from '../../../web/words/highlight.ts';
import { type ExampleObjects, exampleObjects } from '../examples/objects.ts';
import { fillHostValues, findHostValues } from '../openapi/host-values.ts';
import { createSiteRoute } from './site.ts';

export interface ReferenceDependencies {
  reference: Reference;
}

/** The former address of the reference as one document. Its Markdown is still at `/docs/api.md`. */
const formerPage: Route<unknown> = {
  method: 'get',
  path: '/docs/api',
  mediaType: '*/*',
  unlimited: true,
  async answer({ res }) {
    res.writeHead(308, { location: '/docs', 'content-length': 0 }).end();
  },
};

/** The API reference: an overview, and a page for each operation. */
export const docsRoutes = [
  createSiteRoute('/docs', ({ origin }, { reference }: ReferenceDependencies) =>
    referenceOverview(reference, origin),
  ),
  formerPage,
  createSiteRoute<ReferenceDependencies>(
    '/docs/api/:operationId',
    async ({ parameters, origin, network }, { reference, site }) => {
      const operation = reference.groups
        .flatMap(({ operations }) => operations)
        .find(({ id }) => id === parameters.operationId);
      if (!operation) return undefined;
      await prepareHighlighter();
      // Without the database, the request has the values of the examples.
      const found = await site.data.read(exampleObjects, {}).catch(() => undefined);
      const values = findHostValues(found as ExampleObjects | undefined, network);
      return operationPage(reference, fillHostValues(operation, values), origin);
    },
  ),
];
