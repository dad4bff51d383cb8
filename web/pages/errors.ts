import { code as codeBlock } from '../components/code.ts';
import { type Html, html } from '../components/html.ts';
import type { Content } from '../frame/page.ts';

/** An entry of the error table. */
interface ErrorEntry {
  code: string;
  title: string;
  statuses: readonly number[];
  meaning: string;
  whatToDo: string;
}

interface Section {
  title: string;
  errors: readonly ErrorEntry[];
}

/** A text with `code` in backticks. */
const marked = (text: string): Html =>
  text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));

/** The page of all error codes, by section. */
export const errorIndex = (sections: readonly Section[]): Content => ({
  title: 'Errors',
  description: 'Every error code of the marketplace, with its meaning and what to do.',
  section: 'docs',
  main: html`<h1>Errors</h1>
    <p class="lead">Every ${html`<code>code</code>`} that an error of this service can have. Its ${html`<code>type</code>`} is the address of its page here.</p>
    ${sections.map(
      ({
        title,
        errors,
      }) => html`<section class="part"><h2 class="gap">${title}</h2><div class="scroll" tabindex="0"><table>
        <thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Title</th></tr></thead>
        <tbody>${errors.map((one) => html`<tr><td>${one.statuses.join(' or ')}</td><td><a href=${`/errors/${one.code}`}><code>${one.code}</code></a></td><td>${marked(one.title)}</td></tr>`)}</tbody>
      </table></div></section>`,
    )}`,
});

export const errorPage = ({ code, title, statuses, meaning, whatToDo }: ErrorEntry): Content => ({
  title,
  description: meaning,
  section: 'docs',
  main: html`<article class="text">
    <h1>${marked(title)}</h1>
    <p>Code <code>${code}</code>, HTTP status ${statuses.join(' or ')}.</p>
    <h2>When it happens</h2>
    <p>${marked(meaning)}</p>
    <h2>What to do</h2>
    <p>${marked(whatToDo)}</p>
    <h2>As programs see it</h2>
    ${codeBlock(JSON.stringify({ type: `/errors/${code}`, title, status: statuses[0], code }, null, 2))}
    <p><a href="/errors">All errors</a>, <a href="/docs">all endpoints</a>.</p>
  </article>`,
});
