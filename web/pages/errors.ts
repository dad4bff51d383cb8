import { code as codeBlock, withCode } from '../components/code.ts';
import { html } from '../components/html.ts';
import { table } from '../components/table.ts';
import type { Content } from '../frame/page.ts';

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

export const errorIndex = (sections: readonly Section[]): Content => ({
  title: 'Errors',
  description: 'Every error code of the marketplace, with its meaning and what to do.',
  section: 'docs',
  main: html`<h1>Errors</h1>
    <p class="lead">Every ${html`<code>code</code>`} that an error of this service can have. Its ${html`<code>type</code>`} is the address of its page here.</p>
    ${sections.map(({ title, errors }) => {
      const rows = errors.map(({ code, statuses, title }) => [
        statuses.join(' or '),
        html`<a href=${`/errors/${code}`}><code>${code}</code></a>`,
        withCode(title),
      ]);
      return html`<section class="part"><h2 class="gap">${title}</h2>${table(['Status', 'Code', 'Title'], rows)}</section>`;
    })}`,
});

export const errorPage = ({ code, title, statuses, meaning, whatToDo }: ErrorEntry): Content => ({
  title,
  description: meaning,
  section: 'docs',
  main: html`<article class="text">
    <h1>${withCode(title)}</h1>
    <p>Code <code>${code}</code>, HTTP status ${statuses.join(' or ')}.</p>
    <h2>When it happens</h2>
    <p>${withCode(meaning)}</p>
    <h2>What to do</h2>
    <p>${withCode(whatToDo)}</p>
    <h2>As programs see it</h2>
    ${codeBlock(JSON.stringify({ type: `/errors/${code}`, title, status: statuses[0], code }, null, 2))}
    <p><a href="/errors">All errors</a>, <a href="/docs">all endpoints</a>.</p>
  </article>`,
});
