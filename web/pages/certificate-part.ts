import { type Html, html } from '../components/html.ts';
import { plain } from '../components/plain.ts';
import { formatOperationName, type Operation } from '../words/operation.ts';
import type { Certificate, CertifiedFunction } from './adaptor-data.ts';

interface Certified {
  serviceType: string;
  operations: readonly Operation[];
  certificate: Certificate;
}

const verdictWords: Readonly<Record<string, string>> = {
  cannot: 'Cannot do otherwise',
  always: 'Always',
  may: 'May happen',
  unread: 'Not read',
};

/** Sites of a call path that the page shows. The route has all of them. */
const stepsMax = 4;

/** Sentences of the whole page, in equal shares for its functions, so that it stays below 60 kB. */
const sentencesMax = 24;

/** Renders what the bytecode of the called functions can do, apart from the words of the publisher. */
export function codeCanDo({ serviceType, operations, certificate }: Certified, network: string): Html {
  const { state, reason, functions } = certificate;
  const route = `/api/adaptors/${encodeURIComponent(serviceType)}/certificate?network=${network}`;
  const share = Math.max(2, Math.floor(sentencesMax / functions.length));
  const parts = functions.map((one) => functionPart(one, operations, share));
  return html`<section class="box" id="certificate" aria-labelledby="code-can">
    <h2 id="code-can">What the code can do</h2>
    ${stateWords(state, reason)}
    ${parts}
    <p>These sentences come from the bytecode, the first ones of each function. The analysis does not cover arithmetic, prices and future versions of the package: <a href="/docs/catalog">how it works</a>. <a href=${route}>All claims as JSON</a>.</p>
  </section>`;
}

function stateWords(state: string, reason: string | null): Html {
  if (state === 'PENDING')
    return html`<p>The bytecode is not analyzed yet${reason === null ? '' : html`: ${plain(reason)}`}. Until then, only the publisher's words above describe it.</p>`;
  if (state === 'UNREAD')
    return html`<p>Some functions of the package have no certificate${reason === null ? '' : html`: ${plain(reason)}`}</p>`;
  return '';
}

function functionPart(one: CertifiedFunction, operations: readonly Operation[], share: number): Html {
  const { module, name, state, reason, sentences } = one;
  const names = one.operations.flatMap((at) => {
    const operation = operations[at];
    return operation ? [formatOperationName(operation)] : [];
  });
  const title = html`<h3>${plain(names.slice(0, 3).join(', '))} <code>${plain(`${module}::${name}`)}</code></h3>`;
  if (state === 'PENDING') return html`${title}<p>Not analyzed yet.</p>`;
  if (state === 'UNREAD') return html`${title}<p>No certificate: ${plain(reason ?? 'it was not read.')}</p>`;
  return html`${title}<ul>${sentences.slice(0, share).map(sentencePart)}</ul>`;
}

function sentencePart({ verdict, text, path }: CertifiedFunction['sentences'][number]): Html {
  const steps = path.slice(-stepsMax).map(({ function: target, instruction }) => {
    const name = target.split('::').slice(1).join('::');
    return html`<li><code>${plain(name)}</code>, instruction ${instruction}</li>`;
  });
  return html`<li><strong>${verdictWords[verdict] ?? verdict}:</strong> ${plain(text)}${
    steps.length === 0 ? '' : html`<details><summary>Show me</summary><ol>${steps}</ol></details>`
  }</li>`;
}
