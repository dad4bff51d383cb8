import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { kept } from '../respond/kept.ts';
import { digestOf } from '../respond/representation.ts';
import { pageStyle } from './colors.ts';
import { iconLink } from './icon.ts';
import { page } from './page.ts';
import { referenceHtml } from './reference.ts';

const htmlOf = (reference: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Adaptor marketplace API</title>
${iconLink}
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<main>
<div id="swagger-ui"></div>
<div id="reference">
${reference}
</div>
</main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const start = `const dark = matchMedia('(prefers-color-scheme: dark)');
const setMode = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', setMode);
setMode();

// Swagger UI names its fields by what stands beside them, which a screen reader does not know.
function nameFields() {
  for (const field of document.querySelectorAll('#swagger-ui :is(input, select, textarea):not([aria-label])')) {
    if (field.labels?.length) continue;
    const row = field.closest('[data-param-name]');
    const name = row?.dataset.paramName ?? field.placeholder;
    field.setAttribute('aria-label', name || (field.matches('textarea') ? 'Request body' : 'Choice'));
  }
}

SwaggerUIBundle({
  url: '/api/adaptors/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  onComplete() {
    // Only now there is something in its place.
    document.querySelector('#reference').remove();
    nameFields();
    new MutationObserver(nameFields).observe(document.querySelector('#swagger-ui'), { childList: true, subtree: true });
  },
});
`;

/**
 * `GET /docs`: Swagger UI from this server alone, over the same as plain HTML, which is there without script. No inline script runs, so nothing that the API answers can
 * run either.
 */
export const docs = page(() => ({
  html: htmlOf(referenceHtml()),
  policy: [
    "script-src 'self'",
    // Swagger UI sets style attributes.
    "style-src 'self' 'unsafe-inline'",
    "connect-src 'self'",
  ],
}));

/** The page's files by name. */
export const docsAssets = {
  'swagger-ui.css': asset('text/css; charset=utf-8', () => distributed('swagger-ui.css')),
  'swagger-ui-bundle.js': asset('text/javascript; charset=utf-8', () => distributed('swagger-ui-bundle.js')),
  'page.css': asset('text/css; charset=utf-8', async () => Buffer.from(pageStyle)),
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
