import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Route } from '../../../lib/http/route.ts';
import type { OpenApiDocument } from '../openapi/components.ts';
import { pageStyle } from './colors.ts';
import { iconLink } from './icon.ts';
import { fileRoute, pageRoute } from './page.ts';
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

export interface DocsDependencies {
  /** The API's description. */
  document: OpenApiDocument;
}

/**
 * Swagger UI from this server alone, over the same as plain HTML for readers without script. No inline script runs, so
 * nothing that the API answers can run either.
 */
export const docsRoutes = [
  pageRoute('/docs', ({ document }: DocsDependencies) => ({
    html: htmlOf(referenceHtml(document)),
    policy: [
      "script-src 'self'",
      // Swagger UI sets style attributes.
      "style-src 'self' 'unsafe-inline'",
      "connect-src 'self'",
    ],
  })),
  asset('swagger-ui.css', 'text/css', () => distributed('swagger-ui.css')),
  asset('swagger-ui-bundle.js', 'text/javascript', () => distributed('swagger-ui-bundle.js')),
  asset('start.js', 'text/javascript', () => Buffer.from(start)),
  asset('page.css', 'text/css', () => Buffer.from(pageStyle)),
];

function asset(name: string, type: string, load: () => Buffer | Promise<Buffer>): Route<unknown> {
  return fileRoute(`/docs/${name}`, `${type}; charset=utf-8`, 3_600, load);
}

function distributed(name: string): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)));
}
