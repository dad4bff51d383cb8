import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { kept } from '../respond/kept.ts';
import { digestOf } from '../respond/representation.ts';
import { page } from './page.ts';

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Adaptor marketplace API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const start = `SwaggerUIBundle({
  url: '/api/adaptors/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
});
`;

/**
 * `GET /docs`: Swagger UI from this server alone. No inline script runs, so nothing that the API answers can
 * run either.
 */
export const docs = page(() => ({
  html,
  policy: [
    "script-src 'self'",
    // Swagger UI sets style attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
  ],
}));

/** The page's files by name. */
export const docsAssets = {
  'swagger-ui.css': asset('text/css; charset=utf-8', () => distributed('swagger-ui.css')),
  'swagger-ui-bundle.js': asset('text/javascript; charset=utf-8', () => distributed('swagger-ui-bundle.js')),
  'start.js': asset('text/javascript; charset=utf-8', async () => Buffer.from(start)),
};

function asset(contentType: string, read: () => Promise<Buffer>) {
  return kept(async () => {
    const body = await read();
    return { body, contentType, cacheControl: 'public, max-age=3600', tag: digestOf(body) };
  });
}

function distributed(name: string): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)));
}
