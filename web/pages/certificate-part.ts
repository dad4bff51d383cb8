import { findNamedPackages, verdictMeanings } from '@adaptor-marketplace/adaptor/certify';
import { type Html, html } from '../components/html.ts';
import { checkPath, sourcePath } from '../components/links.ts';
import { tag } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { shortened, withShortIds } from '../components/values.ts';
import { formatOperationName, type Operation } from '../words/operation.ts';
import type { Certificate, CertifiedFunction } from './adaptor-data.ts';

interface Certified {
  serviceType: string;
  packageId: string;
  operations: readonly Operation[];
  certificate: Certificate;
}

type Sentence = CertifiedFunction['sentences'][number];

/** Kinds that name many fields, which the page folds away. */
const detailKinds: readonly string[] = ['gate', 'touches'];

/** Calls of a path that the page shows, the last ones. The route has all of them. */
const stepsMax = 4;

/** Operations that the title of a function names. */
const namesMax = 3;

/** Sentences of the whole page, in equal shares for the functions that have some, so that it stays below 60 kB. */
const sentencesMax = 10;

/** Renders a link to what the code can do. @param path page of the adaptor */
export const linkCertificate = (path: string): Html =>
  html`<a href=${`${path}#certificate`}>What the code can do</a>`;

interface ListedAt {
  network: string;
  publisher: string;
  /** `true` if the code on chain is that of the offered source. */
  hasSource: boolean;
}

/** Renders what the bytecode of the called functions can do, apart from the words of the publisher. */
export function codeCanDo(
  { serviceType, packageId, operations, certificate }: Certified,
  { network, publisher, hasSource }: ListedAt,
): Html {
  const { state, reason, functions, hasMoreFunctions } = certificate;
  const query = new URLSearchParams({ network, publisher, include: 'claims' });
  const route = `/api/adaptors/${encodeURIComponent(serviceType)}/certificate?${query}`;
  const described = functions.filter(({ sentenceCount }) => sentenceCount > 0).length;
  const share = Math.max(2, Math.floor(sentencesMax / described));
  const parts = functions.map((one) => {
    const [name, isOwn] = [`${one.module}::${one.name}`, one.packageId === packageId];
    const path = hasSource && isOwn && sourcePath(network, serviceType, { publisher, function: name });
    const code = html`<code>${plain(name)}</code>`;
    const title = html`<h3>${path ? html`<a href=${path}>${code}</a>` : code}${isOwn ? '' : origin(one)}</h3>`;
    return html`${title}${callers(one, operations)}${functionPart(one, share)}`;
  });
  return html`<section class="box" id="certificate" aria-labelledby="code-can">
    <h2 id="code-can">What the code can do</h2>
    ${stateWords(state, reason)}
    ${described > 0 ? legend : ''}
    ${functions.length === 0 ? html`<p>The operations call no functions, so no sentence describes them.</p>` : parts}
    ${hasMoreFunctions ? html`<p>The operations call more functions than these ${functions.length}. <a href=${route}>All of them as JSON</a>.</p>` : ''}
    <p>These sentences come from the bytecode, and describe calls that succeed: one that aborts changes nothing, except that gas is paid. The analysis does not cover arithmetic, prices and future versions of the package: <a href="/docs/catalog">how it works</a>. <a href=${route}>All claims as JSON</a>. <a href=${checkPath(network, serviceType, publisher)}>Check it in your browser</a>.</p>
  </section>`;
}

/** Words for verdicts. A sentence of `cannot` has its own negation: "cannot: takes nothing" would say the opposite. */
const verdictWords: Record<string, string> = { cannot: 'excluded', unread: 'not read' };

const verdictTag = (verdict: string): Html => tag(verdictWords[verdict] ?? verdict);

const legend = html`<ul class="muted">${Object.entries(verdictMeanings).map(([verdict, meaning]) => html`<li>${verdictTag(verdict)} ${meaning}</li>`)}</ul>`;

function stateWords(state: string, reason: string | null): Html {
  if (state === 'PENDING')
    return html`<p>The bytecode is not analyzed yet${reason === null ? '' : html`: ${plain(reason)}`}. Until then, only the publisher's words above describe it.</p>`;
  if (state === 'UNREAD')
    return html`<p>Some functions of the package have no certificate${reason === null ? '' : html`: ${plain(reason)}`}</p>`;
  return '';
}

const origin = ({ packageId }: CertifiedFunction): Html =>
  html` of package <code title=${packageId}>${shortened(packageId)}</code>`;

/** Lists the operations that call a function, in the words of the publisher. */
function callers(one: CertifiedFunction, operations: readonly Operation[]): Html {
  const names = one.operations.flatMap((at) => {
    const operation = operations[at];
    return operation ? [formatOperationName(operation)] : [];
  });
  const shown = names
    .slice(0, namesMax)
    .map((name, at) => html`${at === 0 ? '' : ', '}“${withShortIds(name)}”`);
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : '';
  return html`<p class="muted">Called by the publisher's ${names.length === 1 ? 'operation' : 'operations'} ${shown}${more}</p>`;
}

function functionPart(one: CertifiedFunction, share: number): Html {
  const { state, reason } = one;
  if (state === 'PENDING') return html`<p>Not analyzed yet.</p>`;
  if (state === 'UNREAD') return html`<p>No certificate: ${plain(reason ?? 'it was not read.')}</p>`;
  const sentences = pickSentences(one.sentences, share);
  const details = sentences.filter(isDetail);
  const main = sentences.filter((sentence) => !isDetail(sentence));
  const left = one.sentenceCount - sentences.length;
  return html`${sentenceList(main)}${
    details.length === 0
      ? ''
      : html`<details><summary>Details: checks, reads and writes</summary>${sentenceList(details)}</details>`
  }${left === 0 ? '' : html`<p class="muted">${left} more ${left === 1 ? 'sentence is' : 'sentences are'} in the JSON.</p>`}${packageList(one, sentences)}`;
}

const isDetail = ({ kind }: Sentence): boolean => detailKinds.includes(kind);

/** Picks a number of sentences, in their order: what the code can do goes before what it cannot, and before details. */
function pickSentences(sentences: readonly Sentence[], share: number): readonly Sentence[] {
  const rank = (one: Sentence) => (isDetail(one) ? 2 : one.verdict === 'cannot' ? 1 : 0);
  const picked = new Set(sentences.toSorted((a, b) => rank(a) - rank(b)).slice(0, share));
  return sentences.filter((one) => picked.has(one));
}

const sentenceList = (sentences: readonly Sentence[]): Html =>
  sentences.length === 0 ? '' : html`<ul>${sentences.map(sentencePart)}</ul>`;

/** Lists the packages that the shown sentences name in short. */
export function packageList(
  { packages }: Pick<CertifiedFunction, 'packages'>,
  sentences: readonly { text: string }[],
): Html {
  const named = new Set(sentences.flatMap(({ text }) => [...findNamedPackages(text)]));
  const items = packages
    .filter(({ name }) => named.has(name))
    .sort((a, b) => Number(a.name.slice(2)) - Number(b.name.slice(2)))
    .map(({ name, packageId }) => html`<li>${name} is <code>${packageId}</code></li>`);
  return items.length === 0 ? '' : html`<p>Other packages:</p><ul class="muted">${items}</ul>`;
}

function sentencePart({ verdict, text, path, callsBefore }: Sentence): Html {
  const hidden = Math.max(0, path.length - stepsMax);
  const left = callsBefore + hidden;
  const steps = path.slice(hidden).map(({ function: target, instruction }) => {
    const [packageId = '', ...names] = target.split('::');
    const name = [shortened(packageId), ...names].join('::');
    return html`<li><code title=${target}>${plain(name)}</code>, instruction ${instruction}</li>`;
  });
  const before =
    left === 0 ? '' : html`<p>${left} earlier ${left === 1 ? 'call is' : 'calls are'} in the JSON.</p>`;
  return html`<li>${verdictTag(verdict)} ${plain(text)}${
    steps.length === 0
      ? ''
      : html`<details><summary>Show me</summary>${before}<ol start=${left + 1}>${steps}</ol></details>`
  }</li>`;
}
