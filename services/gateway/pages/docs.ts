import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Route } from '../../../lib/http/route.ts';
import { html, raw } from '../../../web/components/html.ts';
import { listOperations, type OpenApiDocument } from '../openapi/components.ts';
import { escaped, fileRoute, text } from './page.ts';
import { siteRoute } from './site.ts';

interface ResponseSpec {
  description?: string;
  content?: Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: { description?: string };
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: ResponseSpec;
  responses: Record<string, ResponseSpec | { $ref: string }>;
  'x-codeSamples': { source: string }[];
}

/** Renders the API description as plain HTML, for readers without JavaScript and until the script has loaded. */
function referenceHtml(document: OpenApiDocument): string {
  const operations = listOperations(document);
  const tags = (document.tags ?? []).map(({ name, description = '' }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name));
    const articles = own.map(({ path, method, operation }) =>
      renderArticle(`${method.toUpperCase()} ${path}`, operation as unknown as Operation),
    );
    return `<section aria-labelledby="tag-${name}">
<h2 id="tag-${name}">${text(name)}</h2>
<p>${text(description)}</p>
${articles.join('\n')}
</section>`;
  });
  return `<h1>${text(document.info.title)}</h1>
<p>${text(document.info.description ?? '')}</p>
<p>The same as <a href="/api/adaptors/openapi.json">OpenAPI</a>. With script, this page also sends requests.</p>
${tags.join('\n')}`;

  function renderArticle(title: string, operation: Operation): string {
    const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
    const answer = resolved(responses['200']);
    return [
      `<article aria-labelledby="${operationId}">`,
      `<h3 id="${operationId}"><code>${text(title)}</code> ${text(summary)}</h3>`,
      description && `<p>${text(description)}</p>`,
      list('Parameters', parameters.map(resolved).map(describeParameter)),
      `<h4>Request</h4><pre tabindex="0">${escaped(operation['x-codeSamples'][0]!.source)}</pre>`,
      requestBody?.description && `<p>${text(requestBody.description)}</p>`,
      list(
        'Answers',
        Object.entries(responses).map(([status, one]) => [status, resolved(one)?.description ?? '']),
      ),
      renderExample(answer),
      '</article>',
    ]
      .filter(Boolean)
      .join('\n');
  }

  function resolved<T>(value: T | { $ref: string }): T {
    if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T;
    const [, , kind, name] = (value.$ref as string).split('/');
    return Reflect.get(Reflect.get(document.components ?? {}, kind!), name!);
  }
}

function describeParameter({ name, in: place, required, description, schema }: Parameter): [string, string] {
  return [`${name} (${place}${required ? ', required' : ''})`, description ?? schema?.description ?? ''];
}

function list(title: string, rows: readonly [string, string][]): string {
  if (rows.length === 0) return '';
  const items = rows.map(([term, what]) => `<dt>${text(term)}</dt><dd>${text(what)}</dd>`);
  return `<h4>${title}</h4>\n<dl>\n${items.join('\n')}\n</dl>`;
}

function renderExample(answer: ResponseSpec | undefined): string {
  const [media] = Object.values(answer?.content ?? {});
  if (media?.example === undefined) return '';
  const { example } = media;
  const shown = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return `<h4>Example of an answer</h4><pre tabindex="0">${escaped(shown)}</pre>`;
}

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

export interface DocsDependencies {
  /** The API's description. */
  document: OpenApiDocument;
}

/**
 * Swagger UI from this server alone, above the same description as plain HTML for readers without JavaScript. The
 * policy allows no inline script but the site's own, so nothing in an API response can run.
 */
export const docsRoutes = [
  siteRoute('/docs', (_request, { document }: DocsDependencies) => ({
    title: 'API reference',
    description: document.info.description ?? '',
    section: 'docs',
    styles: ['/docs/swagger-ui.css', '/docs/page.css'],
    scripts: ['/docs/swagger-ui-bundle.js', '/docs/start.js'],
    // Swagger UI sets style attributes.
    policy: { 'style-src': "'self' 'unsafe-inline'" },
    main: html`<div id="swagger-ui" class="foreign"></div><div id="reference" class="text reference">${raw(referenceHtml(document))}</div>`,
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

/** A part of the API page, with its text color and the color behind it. */
interface Pair {
  selector: string;
  text: string;
  behind: string;
  /** `true` if `behind` is the background of this part. Otherwise it is the background of the page. */
  fills?: boolean;
}

/** Background colors of the page by mode. */
const grounds = { light: '#ffffff', dark: '#1c2022' } as const;

const method = (name: string, behind: string): Pair => ({
  selector: `.swagger-ui .opblock.opblock-${name} .opblock-summary-method`,
  text: '#ffffff',
  behind,
  fills: true,
});

/** Colors that replace those of Swagger UI that are hard to read. */
export const readable: Readonly<Record<keyof typeof grounds, readonly Pair[]>> = {
  light: [
    method('get', '#1d5f9e'),
    method('post', '#17703f'),
    method('patch', '#0d6b5c'),
    method('delete', '#b3261e'),
    { selector: '.swagger-ui .btn.execute', text: '#ffffff', behind: '#1d5f9e', fills: true },
    { selector: '.swagger-ui .btn.authorize', text: '#17703f', behind: grounds.light },
    {
      selector: '.swagger-ui .info .title small.version-stamp',
      text: '#ffffff',
      behind: '#3f6212',
      fills: true,
    },
    { selector: '.swagger-ui .info .title small', text: '#ffffff', behind: '#55606e', fills: true },
    { selector: '.swagger-ui a, .swagger-ui .info a', text: '#1d5f9e', behind: grounds.light },
    {
      selector: '.swagger-ui .parameter__in, .swagger-ui .parameter__extension',
      text: '#55606e',
      behind: grounds.light,
    },
    { selector: '.swagger-ui .parameter__name.required::after', text: '#b3261e', behind: grounds.light },
  ],
  dark: [
    method('get', '#1d5f9e'),
    method('post', '#17703f'),
    method('patch', '#0d6b5c'),
    method('delete', '#b3261e'),
    { selector: '.swagger-ui a, .swagger-ui .info a', text: '#8cc2ff', behind: grounds.dark },
    {
      selector: '.swagger-ui .parameter__in, .swagger-ui .parameter__extension',
      text: '#b7bcbf',
      behind: grounds.dark,
    },
    { selector: '.swagger-ui .parameter__name.required::after', text: '#ff9b94', behind: grounds.dark },
  ],
};

const rule = (prefix: string, { selector, text, behind, fills }: Pair): string => {
  const selectors = selector.split(', ').map((one) => `${prefix}${one}`);
  return `${selectors.join(', ')} { color: ${text}; opacity: 1;${fills ? ` background: ${behind};` : ''} text-shadow: none; }`;
};

/** Returns the CSS rules of one mode. Swagger UI is dark below `html.dark-mode`. */
const renderRules = (mode: keyof typeof grounds, prefix: string): string =>
  readable[mode].map((pair) => rule(prefix, pair)).join('\n');

/** `GET /docs/page.css`: the style that overrides that of Swagger UI. */
const pageStyle = `${renderRules('light', '')}
${renderRules('dark', 'html.dark-mode ')}
`;
