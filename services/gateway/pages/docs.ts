import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Route } from '../../../lib/http/route.ts';
import { html, raw } from '../../../web/components/html.ts';
import type { OpenApiDocument } from '../openapi/components.ts';
import type { DescriptionDependencies } from '../openapi/document.ts';
import { loadDocuments } from './guides.ts';
import { fileRoute } from './page.ts';
import { siteRoute } from './site.ts';

const start = `const dark = matchMedia('(prefers-color-scheme: dark)');
const root = document.documentElement;
const setMode = () => root.classList.toggle('dark-mode', root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches);
dark.addEventListener('change', setMode);
document.addEventListener('theme', setMode);
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

/** The API description as a document, for readers without JavaScript and until the script has loaded. */
async function renderReference(api: OpenApiDocument) {
  const documents = await loadDocuments(api);
  return raw(documents.find(({ href }) => href === '/docs/api')!.body);
}

/** Swagger UI from this server alone. The policy allows no other script, so nothing in a response can run. */
export const docsRoutes = [
  siteRoute('/docs', async (_request, { document }: DescriptionDependencies) => ({
    title: 'API reference',
    description: document.info.description ?? '',
    section: 'docs',
    styles: ['/docs/swagger-ui.css', '/docs/page.css'],
    scripts: ['/docs/swagger-ui-bundle.js', '/docs/start.js'],
    // Swagger UI sets style attributes.
    policy: { 'style-src': "'self' 'unsafe-inline'" },
    main: html`<div id="swagger-ui" class="foreign"></div><div id="reference" class="text">${await renderReference(document)}</div>`,
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

/** Colors of a part of the API page. Without a fill, the background of the page is behind the text. */
type PartColors = readonly [selector: string, text: string, fill?: string];

export const grounds = { light: '#ffffff', dark: '#1c2022' } as const;

const methods: readonly PartColors[] = [
  ['.opblock.opblock-get .opblock-summary-method', '#ffffff', '#1d5f9e'],
  ['.opblock.opblock-post .opblock-summary-method', '#ffffff', '#17703f'],
  ['.opblock.opblock-patch .opblock-summary-method', '#ffffff', '#0d6b5c'],
  ['.opblock.opblock-delete .opblock-summary-method', '#ffffff', '#b3261e'],
];

/** Colors that replace those of Swagger UI that are hard to read, by mode. */
export const readable: Readonly<Record<keyof typeof grounds, readonly PartColors[]>> = {
  light: [
    ...methods,
    ['.btn.execute', '#ffffff', '#1d5f9e'],
    ['.btn.authorize', '#17703f'],
    ['.info .title small.version-stamp', '#ffffff', '#3f6212'],
    ['.info .title small', '#ffffff', '#55606e'],
    ['a', '#1d5f9e'],
    ['.info a', '#1d5f9e'],
    [':is(.parameter__in, .parameter__extension)', '#55606e'],
    ['.parameter__name.required::after', '#b3261e'],
  ],
  dark: [
    ...methods,
    ['a', '#8cc2ff'],
    ['.info a', '#8cc2ff'],
    [':is(.parameter__in, .parameter__extension)', '#b7bcbf'],
    ['.parameter__name.required::after', '#ff9b94'],
  ],
};

const renderRules = (mode: keyof typeof grounds, prefix: string): string =>
  readable[mode]
    .map(([selector, text, fill]) => {
      const background = fill === undefined ? '' : ` background: ${fill};`;
      return `${prefix} ${selector} { color: ${text}; opacity: 1;${background} text-shadow: none; }\n`;
    })
    .join('');

/** Style that overrides that of Swagger UI, which is dark below `html.dark-mode`. */
const pageStyle = renderRules('light', '.swagger-ui') + renderRules('dark', 'html.dark-mode .swagger-ui');
