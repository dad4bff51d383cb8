import { routes } from '../routes.ts';
import { createOpenApiDocument } from './document.ts';

process.stdout.write(`${JSON.stringify(createOpenApiDocument(routes), null, 2)}\n`);
