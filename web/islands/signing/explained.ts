import type { Explanation, ExplanationSentence } from '@adaptor-marketplace/adaptor/explain';
import { toBase64 } from '@mysten/sui/utils';
import { type Html, html } from '../../components/html.ts';
import { plain } from '../../components/plain.ts';
import { askApi } from '../api/ask.ts';
import { siteNetwork } from './chain.ts';
import { toRefusal } from './failure.ts';

/** Text until the explanation is there, with a way to sign without it. */
export const renderExplaining = (skip: () => void): Html =>
  html`<p class="muted">Reading from the code what this transaction can do. <button type="button" class="quiet" onClick=${skip}>Do not wait</button></p>`;

/** Text in place of an explanation that the reader did not wait for. */
export const notExplained: Html = html`<p>What this transaction can do was not read from its code: you did not wait for it.</p>`;

/** Explains a transaction from the bytecode of the packages that it calls. A failure is a part of the text. */
export async function explainBytes(bytes: Uint8Array): Promise<Html> {
  try {
    const body = { transaction: toBase64(bytes), network: siteNetwork };
    return renderExplanation(await askApi<Pick<Explanation, 'sentences'>>('/api/explain', body));
  } catch (error) {
    return html`<p>What this transaction can do could not be read: ${plain(toRefusal(error).title)}.</p>`;
  }
}

/** Kinds that a signer reads first. The others say who can influence it. */
const first: ReadonlySet<ExplanationSentence['kind']> = new Set([
  'versions',
  'leaves',
  'objects',
  'changes',
  'receives',
  'rest',
  'arrives',
  'publishes',
  'upgrades',
  'notRead',
]);

function renderExplanation({ sentences }: Pick<Explanation, 'sentences'>): Html {
  const shown = sentences.filter(({ kind }) => first.has(kind));
  const others = sentences.filter(({ kind }) => kind === 'calls' || kind === 'packages');
  return html`<section id="explained" aria-label="What its code can do">
    <p>What its code can do:</p>
    ${renderList(shown)}
    ${others.length > 0 && html`<details><summary>Who can influence it</summary>${renderList(others)}</details>`}
  </section>`;
}

const renderList = (sentences: readonly ExplanationSentence[]): Html =>
  html`<ul>${sentences.map(({ text }) => html`<li>${plain(text)}</li>`)}</ul>`;
