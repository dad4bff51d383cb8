import { createOpenApiDocument } from './openapi/document.ts';
import { routes } from './routes.ts';

process.stdout.write(`${JSON.stringify(createOpenApiDocument(routes), null, 2)}\n`);
