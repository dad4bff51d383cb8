import { visibleJson } from '../components/plain.ts';
import {
  type ApiRequest,
  buildTarget,
  type RequestData,
  renderSample,
  type SampleLanguage,
} from '../words/request-sample.ts';

/**
 * The page of an operation: updates the samples with the values that the reader sets, and sends the request to this origin.
 * It stores nothing, and shows all responses as text.
 */

/** Maximum number of characters of a response that the page shows. */
const shownMax = 200_000;

const find = <Type extends Element>(selector: string): Type => document.querySelector<Type>(selector)!;
const form = find<HTMLFormElement>('#request');
const stop = find<HTMLButtonElement>('#stop');
const send = find<HTMLButtonElement>('#request button[type=submit]');
const status = find<HTMLElement>('#answer-status');
const answer = find<HTMLElement>('#answer');
const body = document.querySelector<HTMLTextAreaElement>('#body-text');
const bodyExample = document.querySelector<HTMLSelectElement>('#body-example');
const credential = document.querySelector<HTMLInputElement>('#credential-value');
const { request: original, examples }: RequestData = JSON.parse(find('#request-data').textContent);

function readRequest(): ApiRequest {
  const parameters = original.parameters.map((parameter) => {
    const control = document.getElementById(`${parameter.in}-${parameter.name}`);
    const isControl = control instanceof HTMLInputElement || control instanceof HTMLSelectElement;
    return isControl ? { ...parameter, value: control.value.trim() } : parameter;
  });
  return { ...original, parameters, body: body ? body.value : undefined };
}

/** Shows the samples of the request. Lines that stay the same stay highlighted. */
function showSamples(): void {
  const request = readRequest();
  for (const container of document.querySelectorAll<HTMLElement>('[data-sample]')) {
    const code = container.querySelector('code')!;
    const known = new Map([...code.children].map((line) => [line.textContent, line]));
    const lines = renderSample(container.dataset.sample as SampleLanguage, request)
      .trimEnd()
      .split('\n');
    const nodes = lines.flatMap((text, at) => {
      const line = document.createElement('span');
      const before = known.get(text);
      if (before) line.append(...[...before.cloneNode(true).childNodes]);
      else line.textContent = text;
      return at === 0 ? [line] : ['\n', line];
    });
    code.replaceChildren(...nodes);
  }
}

document.addEventListener('input', ({ target }) => {
  if (target === bodyExample && body && bodyExample)
    body.value = JSON.stringify(examples[bodyExample.value], null, 2);
  body?.setCustomValidity('');
  showSamples();
});

/** Returns why the body cannot be sent; an empty text if it can. */
function checkBody(): string {
  if (!body) return '';
  try {
    JSON.parse(body.value);
    return '';
  } catch (error) {
    return `The body is not valid JSON. ${error instanceof Error ? error.message : ''}`;
  }
}

function buildHeaders({ parameters, credential: header, body }: ApiRequest): Headers {
  const headers = new Headers();
  for (const { name, in: part, value } of parameters)
    if (part === 'header' && value !== '') headers.set(name, value);
  if (body !== undefined) headers.set('content-type', 'application/json');
  const secret = credential?.value.trim() ?? '';
  if (header && secret !== '') headers.set(header, header === 'authorization' ? `Bearer ${secret}` : secret);
  return headers;
}

const createElement = (name: string, text: string, className = ''): HTMLElement => {
  const created = document.createElement(name);
  created.textContent = text;
  if (className !== '') created.className = className;
  return created;
};

function createHeaderList(headers: Headers): HTMLElement {
  const details = document.createElement('details');
  const list = createElement('dl', '', 'params');
  const entries = [...headers];
  for (const [name, value] of entries) {
    const term = document.createElement('dt');
    term.append(createElement('code', name));
    list.append(term, createElement('dd', value));
  }
  details.append(createElement('summary', `${entries.length} headers`), list);
  return details;
}

/** Adds the element that shows the body of a response. */
function addBody(): HTMLElement {
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  const code = document.createElement('code');
  pre.append(code);
  const container = createElement('div', '', 'code');
  container.append(pre);
  answer.append(container);
  return code;
}

/** Reads a body as text, and shows the text so far after each part. Stops after `shownMax` characters. */
async function readBody(response: Response, show: (text: string) => void): Promise<string> {
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    show(text.slice(0, shownMax));
    if (text.length > shownMax) {
      await reader.cancel();
      break;
    }
  }
  return text;
}

const formatJson = (text: string): string => {
  try {
    return visibleJson(text);
  } catch {
    return text;
  }
};

let running: AbortController | undefined;

/** Sends the request and shows the response. Returns `false` if a newer request has begun meanwhile. */
async function sendRequest(): Promise<boolean> {
  const request = readRequest();
  const url = new URL(buildTarget(request), location.origin);
  running = new AbortController();
  const { signal } = running;
  const startedMs = performance.now();
  const measure = () => `${Math.max(1, Math.round(performance.now() - startedMs))} ms`;
  const init: RequestInit = {
    method: request.method,
    headers: buildHeaders(request),
    // Only what the page shows is sent: no cookie of a session, and nothing to another origin.
    credentials: 'omit',
    redirect: 'error',
    cache: 'no-store',
    signal,
  };
  if (request.body !== undefined) init.body = request.body;
  let hasResponse = false;
  try {
    const response = await fetch(url, init);
    hasResponse = true;
    const line = [response.status, response.statusText].filter(Boolean).join(' ');
    const tone = response.status < 400 ? 'good' : 'danger';
    status.replaceChildren(createElement('b', line, tone), ` after ${measure()}`);
    answer.replaceChildren(createElement('h2', 'Response'), createHeaderList(response.headers));
    answer.hidden = false;
    if (response.status === 204 || response.status === 304) {
      answer.append(createElement('p', 'The response has no body.'));
      return true;
    }
    const code = addBody();
    const text = await readBody(response, (part) => {
      code.textContent = part;
    });
    const isCut = text.length > shownMax;
    if (!isCut && /json/.test(response.headers.get('content-type') ?? '') && !request.isStream)
      code.textContent = formatJson(text);
    if (isCut) answer.append(createElement('p', `Cut after ${shownMax} characters.`, 'muted'));
    status.replaceChildren(createElement('b', line, tone), ` after ${measure()}, ${text.length} characters`);
  } catch {
    // The status line belongs to a newer request.
    if (signal !== running?.signal) return false;
    if (signal.aborted) status.append(' Stopped.');
    else if (hasResponse) status.append(' The connection closed before the end of the response.');
    else {
      answer.hidden = true;
      status.replaceChildren(
        createElement('b', 'No response', 'danger'),
        ' This host does not respond. Check that you are online, and send the request again.',
      );
    }
  }
  return true;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const wrong = checkBody();
  body?.setCustomValidity(wrong);
  if (!form.reportValidity()) return;
  running?.abort();
  status.textContent = 'Sending…';
  stop.hidden = false;
  send.setAttribute('aria-busy', 'true');
  if (!(await sendRequest())) return;
  send.removeAttribute('aria-busy');
  stop.hidden = true;
});
stop.addEventListener('click', () => {
  running?.abort();
  send.focus();
});
// A submission before this script is loaded would leave the page.
send.disabled = false;
// A browser that restores the page after "back" may restore values too.
showSamples();
