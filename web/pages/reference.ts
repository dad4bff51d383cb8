import { tabs } from '../components/code.ts';
import { type Html, html } from '../components/html.ts';
import type { Content } from '../frame/page.ts';
import { highlighted } from '../words/highlighted.ts';
import { renderInline } from '../words/markdown.ts';
import {
  type ApiRequest,
  type RequestData,
  renderSample,
  type SampleLanguage,
  sampleLanguages,
} from '../words/request-sample.ts';

/** A field of a body, a response or another field. */
export interface Field {
  name: string;
  type: string;
  required: boolean;
  description: string;
  /** Bounds and default, such as `1 to 100`. */
  limits?: string;
  /** All values, where `type` does not name them. */
  values?: readonly string[];
  fields: readonly Field[];
  /** Name of a type whose fields the same list has at another field. */
  sameAs?: string;
  /** `true` for a form of the object above, with the fields that only this form has. Its name is Markdown. */
  isVariant?: true;
}

export interface Parameter extends Field {
  in: 'path' | 'query' | 'header';
  isNumber: boolean;
  /** Value in the example; empty if it has none. */
  value: string;
}

export interface ReferenceResponse {
  status: string;
  description: string;
  mediaTypes: readonly string[];
  /** `true` if the body is a stream of lines or events with the fields. */
  isStream: boolean;
  /** Headers beyond those of every response, with their descriptions. */
  headers: readonly (readonly [name: string, description: string])[];
  fields: readonly Field[];
  example?: string | undefined;
}

export interface ReferenceOperation {
  /** Operation id. */
  id: string;
  tag: string;
  method: string;
  path: string;
  summary: string;
  /** Markdown of one paragraph. */
  description: string;
  /** Names of the credential schemes that the operation takes. */
  credentials: readonly string[];
  /** Header of the credential that the page sends and its samples show; undefined if none is needed. */
  credential: ApiRequest['credential'];
  parameters: readonly Parameter[];
  body?: { fields: readonly Field[]; examples: Readonly<Record<string, unknown>> };
  response: ReferenceResponse;
  errors: readonly { status: string; codes: readonly { code: string; meaning: string }[] }[];
}

interface Group {
  name: string;
  description: string;
  operations: readonly ReferenceOperation[];
}

/** The API as its pages show it. */
export interface Reference {
  introduction: string;
  groups: readonly Group[];
  /** Credential schemes by name, with Markdown descriptions. */
  schemes: readonly { name: string; description: string }[];
}

export const operationPath = (id: string): string => `/docs/api/${id}`;

/** Renders Markdown within a line. Most descriptions are plain text, which needs no element of its own. */
function inline(markdown: string): Html {
  const rendered = renderInline(markdown);
  return /[<&]/.test(rendered)
    ? html`<span dangerouslySetInnerHTML=${{ __html: rendered }}></span>`
    : rendered;
}
const paragraph = (markdown: string): Html =>
  markdown === '' ? '' : html`<p dangerouslySetInnerHTML=${{ __html: renderInline(markdown) }}></p>`;

const methodMark = (method: string): Html =>
  html`<span class=${`method ${method.toLowerCase()}`}>${method}</span>`;

function sidebar({ groups }: Reference, current: string): Html {
  const currentGroup = groups.find(({ operations }) => operations.some(({ id }) => id === current));
  return html`<nav aria-label="API reference">
    <a href="/docs" aria-current=${current === '' ? 'page' : undefined}>Overview</a>
    <a href="/docs/guides">Documents</a><a href="/graphql">GraphQL explorer</a><a href="/errors">Error codes</a>
    ${groups.map((group) =>
      // The page of an operation has the links of its own group, so that it does not grow with each new route.
      currentGroup !== undefined && group !== currentGroup
        ? html`<a href=${operationPath(group.operations[0]!.id)}>${group.name}</a>`
        : html`<details open>
        <summary>${group.name}</summary>
        ${group.operations.map(
          ({ id, summary }) =>
            html`<a href=${operationPath(id)} aria-current=${id === current ? 'page' : undefined}>${inline(summary)}</a>`,
        )}
      </details>`,
    )}
  </nav>`;
}

/** The page that lists all operations, and says what holds for each of them. */
export function referenceOverview(reference: Reference, origin: string): Content {
  const { introduction, groups, schemes } = reference;
  return {
    title: 'API reference',
    description: introduction,
    section: 'docs',
    main: html`<div class="docs">
      <div class="text">
        <h1>API reference</h1>
        ${paragraph(introduction)}
        <h2 id="base-url">Base url</h2>
        <p>All paths are below the address of this host.</p>
        ${highlighted(origin, 'text', 'Copy the base url')}
        <p>Every page below has the request in several languages with values of this host. Change a value and send the request from the page: it goes to this host alone.</p>
        <h2 id="credentials">Credentials</h2>
        <p>Reads of the catalog need no key. An operation that needs a credential says so, and takes one of these:</p>
        <dl class="params">${schemes.map(({ name, description }) => html`<dt><code>${name}</code></dt><dd>${inline(description)}</dd>`)}</dl>
        <p><a href="/docs/limits-and-keys">Rate limits and keys</a> explains how to get one.</p>
        <h2 id="errors">Errors</h2>
        <p>An error is a problem document of RFC 9457: <code>status</code>, a stable <code>code</code> to decide by, and a <code>detail</code> that says what to do. <a href="/errors">Error codes</a> lists all of them.</p>
        <h2 id="conventions">Conventions</h2>
        <p>Every response has <code>x-request-id</code>: name it when you report a problem. The <code>x-ratelimit-</code> headers say how many requests you may still send. A list takes <code>limit</code> and <code>cursor</code>, and returns <code>nextCursor</code> while there is more. Send the <code>etag</code> of a response back as <code>if-none-match</code> to get 304 until it changes.</p>
        <p>Generate a client from <a href="/api/adaptors/openapi.json">the OpenAPI 3.1 document</a>, or use <a href="/docs/sdk">the SDK</a>. Programs read this reference as <a href="/docs/api.md">Markdown</a>.</p>
        ${groups.map(
          (group) => html`<h2 id=${group.name.toLowerCase()}>${group.name}</h2>
            ${paragraph(group.description)}
            <ul class="operations">${group.operations.map(
              ({ id, method, path, summary }) =>
                html`<li><a href=${operationPath(id)}>${inline(summary)}</a><span class="endpoint">${methodMark(method)}<code>${path}</code></span></li>`,
            )}</ul>`,
        )}
      </div>
      <div class="beside">${sidebar(reference, '')}</div>
    </div>`,
  };
}

/** Side of an exchange that has a field: a request says what it must have, and a response what it may leave out. */
type Side = 'request' | 'response';

function typeWords({ type, required, limits = '', isVariant }: Field, side: Side): Html {
  const words = [type, limits, ...(side === 'response' && !required && !isVariant ? ['optional'] : [])];
  const shown = words.filter(Boolean).join(', ');
  return html`<i>${shown}${required && side === 'request' ? html`${shown === '' ? '' : ', '}<b>required</b>` : ''}</i>`;
}

const countFields = (fields: readonly Field[]): number =>
  fields.reduce((sum, field) => sum + 1 + countFields(field.fields), 0);

function renderField(field: Field, side: Side): Html {
  const { name, description, values, fields, sameAs, isVariant } = field;
  const isPlain = !values && !sameAs && fields.length === 0 && description !== '';
  return html`<dt>${isVariant ? inline(name) : html`<code>${name}</code>`} ${typeWords(field, side)}</dt>
    ${description === '' ? '' : html`<dd dangerouslySetInnerHTML=${{ __html: renderInline(description) }}></dd>`}
    ${
      isPlain
        ? ''
        : html`<dd>
      ${values ? html`<p class="values">${values.map((value, at) => html`${at === 0 ? '' : ' '}<code>${value}</code>`)}</p>` : ''}
      ${sameAs ? html`<p class="muted">Fields as in <code>${sameAs}</code> above.</p>` : ''}
      ${fields.length === 0 ? '' : html`<details><summary>${countFields(fields)} ${countFields(fields) === 1 ? 'field' : 'fields'}<span class="unseen"> of ${name.replaceAll('`', '')}</span></summary>${fieldList(fields, side)}</details>`}
    </dd>`
    }`;
}

const fieldList = (fields: readonly Field[], side: Side): Html =>
  html`<dl class="params">${fields.map((field) => renderField(field, side))}</dl>`;

/** A control of the form that sends the request. It is in the place of the parameter that it sets. */
function control({ name, in: part, value, values, required, type }: Parameter): Html {
  const id = `${part}-${name}`;
  if (values)
    return html`<select form="request" id=${id} name=${id} required=${required} data-script>
      ${required ? '' : html`<option value=""></option>`}
      ${values.map((one) => html`<option value=${one} selected=${one === value}>${one}</option>`)}
    </select>`;
  // A path has no segment of dots alone.
  const pattern = part === 'path' ? String.raw`(?!\.{1,2}$).*` : undefined;
  return html`<input form="request" type="text" id=${id} name=${id} value=${value} pattern=${pattern} required=${required} placeholder=${type} autocomplete="off" spellcheck="false" data-script />`;
}

const parameterRow = (parameter: Parameter): Html =>
  html`<dt><label for=${`${parameter.in}-${parameter.name}`}><code>${parameter.name}</code></label> ${typeWords(parameter, 'request')}</dt>
    <dd>${inline(parameter.description)}${control(parameter)}</dd>`;

function parameterParts({ parameters }: ReferenceOperation): Html {
  const titles = {
    path: 'Parameters of the path',
    query: 'Parameters of the query',
    header: 'Request headers',
  };
  return (['path', 'query', 'header'] as const).map((part) => {
    const own = parameters.filter((one) => one.in === part);
    return own.length === 0
      ? ''
      : html`<h2>${titles[part]}</h2><dl class="params">${own.map(parameterRow)}</dl>`;
  });
}

const print = (value: unknown): string => JSON.stringify(value, null, 2);

function bodyPart({ body }: ReferenceOperation): Html {
  if (!body) return '';
  const examples = Object.entries(body.examples);
  const [first] = examples;
  const text = first ? print(first[1]) : '{}';
  return html`<h2 id="body">Body</h2>
    ${fieldList(body.fields, 'request')}
    ${
      examples.length < 2
        ? ''
        : html`<div class="fields" data-script><label for="body-example">Example</label><select id="body-example">
            ${examples.map(([name]) => html`<option>${name}</option>`)}
          </select></div>`
    }
    <div class="fields" data-script>
      <label for="body-text">Body to send</label>
      <textarea form="request" id="body-text" name="body" class="mono" rows=${Math.min(16, text.split('\n').length + 1)} spellcheck="false" autocomplete="off">${text}</textarea>
    </div>`;
}

/** Words for the credential schemes, in the order of preference. */
const schemeWords: Readonly<Record<string, string>> = {
  apiKey: 'an API key in the header x-api-key',
  bearer: 'a bearer token in the header authorization',
  agentSessionCookie: 'the session cookie of an address',
};

function credentialPart({ credentials, credential }: ReferenceOperation): Html {
  const words = credentials.flatMap((name) => schemeWords[name] ?? []).join(', or ');
  if (words === '') return '';
  if (credential === undefined)
    return html`<p class="muted">Needs no credential. <a href="/docs/limits-and-keys">With one</a>, it is counted under the limit of that credential.</p>`;
  const label = credential === 'x-api-key' ? 'API key' : 'Bearer token';
  return html`<h2 id="credential">Credential</h2>
    <p>Needs ${words}. <a href="/docs#credentials">Credentials</a></p>
    <div class="fields" data-script>
      <label for="credential-value">${label}</label>
      <input form="request" type="password" id="credential-value" name="credential" autocomplete="off" spellcheck="false" aria-describedby="credential-hint" />
      <p class="hint" id="credential-hint">Sent with this request only. The page forgets it when you leave.</p>
    </div>`;
}

function responsePart({ response, errors }: ReferenceOperation): Html {
  const { status, description, mediaTypes, isStream, headers, fields } = response;
  return html`<h2 id="response">Response</h2>
    <p><b>${status}</b> ${inline(description)} <span class="muted">${mediaTypes.join(' or ')}</span></p>
    ${headers.length === 0 ? '' : html`<details><summary>${headers.length} ${headers.length === 1 ? 'header' : 'headers'}</summary><dl class="params">${headers.map(([name, words]) => html`<dt><code>${name}</code></dt><dd>${inline(words)}</dd>`)}</dl></details>`}
    ${fields.length === 0 ? '' : html`${isStream ? html`<p>Each item of the stream has these fields:</p>` : ''}${fieldList(fields, 'response')}`}
    ${
      errors.length === 0
        ? ''
        : html`<h2 id="errors">Errors</h2><dl class="params">${errors.map(
            (error) =>
              html`<dt><b>${error.status}</b></dt>${error.codes.map(
                ({ code, meaning }) =>
                  html`<dd><a href=${`/errors/${code}`}><code>${code}</code></a> ${inline(meaning)}</dd>`,
              )}`,
          )}</dl>`
    }`;
}

/** The request that the page of an operation shows first. */
function exampleRequest(operation: ReferenceOperation, origin: string): ApiRequest {
  const [example] = Object.values(operation.body?.examples ?? {});
  return {
    origin,
    operationId: operation.id,
    method: operation.method,
    path: operation.path,
    parameters: operation.parameters.map(({ name, in: part, value, isNumber }) => ({
      name,
      in: part,
      value,
      isNumber,
    })),
    credential: operation.credential,
    body: operation.body ? print(example ?? {}) : undefined,
    isStream: operation.response.isStream,
  };
}

/** JSON for an element of the page, which no text in it can end. */
const dataJson = (data: RequestData): string => JSON.stringify(data).replaceAll('<', '\\u003c');

const grammars: Readonly<Record<SampleLanguage, string>> = {
  curl: 'bash',
  JavaScript: 'javascript',
  Python: 'python',
};

function requestPanel(operation: ReferenceOperation, origin: string): Html {
  const request = exampleRequest(operation, origin);
  const { example, mediaTypes } = operation.response;
  const samples = sampleLanguages.map((language) => ({
    name: language,
    body: html`<div data-sample=${language}>${highlighted(renderSample(language, request), grammars[language], `Copy the request in ${language}`)}</div>`,
  }));
  return html`<div class="try">
    <h2 id="request-title">Request</h2>
    ${tabs('language', 'Language of the request', samples)}
    <script type="application/json" id="request-data" dangerouslySetInnerHTML=${{ __html: dataJson({ request, examples: operation.body?.examples ?? {} }) }}></script>
    <form id="request" aria-labelledby="request-title" data-script>
      <div class="actions"><button type="submit" disabled>Send request</button><button type="button" class="quiet" id="stop" hidden>Stop</button></div>
      <p id="answer-status" role="status"></p>
    </form>
    <section id="answer" aria-label="Response of this host" hidden></section>
    ${
      example === undefined
        ? ''
        : html`<div id="example"><h2>Example of the response</h2>${highlighted(example, mediaTypes[0]?.includes('json') ? 'json' : 'text', 'Copy the example')}</div>`
    }
  </div>`;
}

/** The page of an operation: what it takes and returns, and its request to change and send. */
export function operationPage(reference: Reference, operation: ReferenceOperation, origin: string): Content {
  const { id, method, path, summary, description } = operation;
  const all = reference.groups.flatMap(({ operations }) => operations);
  const at = all.findIndex((one) => one.id === id);
  const link = (one: ReferenceOperation | undefined, rel: 'prev' | 'next', word: string) =>
    one &&
    html`<a href=${operationPath(one.id)} rel=${rel}><span class="muted">${word}</span>${inline(one.summary)}</a>`;
  const plainSummary = summary.replaceAll('`', '');
  return {
    title: `${plainSummary}: API reference`,
    description: description === '' ? `${method} ${path}` : description.slice(0, 300),
    section: 'docs',
    islands: ['reference'],
    main: html`<div class="docs">
      <article class="operation">
        <div class="text about">
          <h1>${inline(summary)}</h1>
          <p class="endpoint">${methodMark(method)}<code>${path}</code></p>
          ${paragraph(description)}
          <p class="muted">Operation id <code>${id}</code></p>
          ${credentialPart(operation)}
          ${parameterParts(operation)}
          ${bodyPart(operation)}
          ${responsePart(operation)}
        </div>
        ${requestPanel(operation, origin)}
        <nav class="neighbors" aria-label="Neighbors">${link(all[at - 1], 'prev', 'Previous')}${link(all[at + 1], 'next', 'Next')}</nav>
      </article>
      <div class="beside">${sidebar(reference, id)}</div>
    </div>`,
  };
}
