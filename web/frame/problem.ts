import { withCode } from '../components/code.ts';
import { html } from '../components/html.ts';
import type { Content } from './page.ts';

/** An error for a reader: what happened, why, and what to do. */
interface ProblemView {
  status: number;
  code: string;
  title: string;
  detail: string;
  whatToDo: string;
  requestId: string;
}

export const problemPage = ({ status, code, title, detail, whatToDo, requestId }: ProblemView): Content => ({
  title,
  status,
  main: html`<article class="text">
    <h1>${withCode(title)}</h1>
    <p>${detail}</p>
    <h2>What to do</h2>
    <p>${withCode(whatToDo)}</p>
    <p><a href="/">Go to the catalog</a>, or read about <a href=${`/errors/${code}`}>this error</a>.</p>
    <p class="muted">Request <code>${requestId}</code>, HTTP status ${status}.</p>
  </article>`,
});
