import { type Html, html } from '../components/html.ts';
import { explorerLink, strangersLink } from '../components/links.ts';
import { plain } from '../components/plain.ts';
import { address, count, time } from '../components/values.ts';
import type { PageRequest } from '../frame/page.ts';

/** A statement of an attester about a package. */
export interface Statement {
  objectId: string;
  attester: string;
  says: string;
  summary: string | null;
  repository: string | null;
  commit: string | null;
  report: string | null;
  readAtMs: number;
}

/** The fields of a statement that pages show. */
export const statementSelection =
  'statements { objectId attester says summary repository commit report readAtMs }';

/** Maximum number of statements on a page, which has less than 60 kB. The route has more. */
const shownMax = 3;
const summaryMax = 300;

/** Renders the statements of others about a package. Empty without any. */
export function statementsPart(
  statements: readonly Statement[],
  { nowMs, node: { explorerUrl } }: PageRequest,
): Html {
  if (statements.length === 0) return '';
  const left = statements.length - shownMax;
  const items = statements.slice(0, shownMax).map((one) => {
    const { objectId, attester, says, summary, repository, commit, report, readAtMs } = one;
    const source =
      repository === null && commit === null
        ? ''
        : html` Source: ${repository === null ? '' : strangersLink(repository, plain(repository))}${commit === null ? '' : html` at <code>${plain(commit)}</code>`}.`;
    return html`<li><strong>${plain(attester)}</strong>: ${plain(says)}${summary === null ? '' : html` “${plain(summary.slice(0, summaryMax))}”`}${source}${report === null ? '' : html` ${strangersLink(report, 'Report')}.`}
      <span class="muted">Object ${address(objectId, explorerLink(explorerUrl, 'object', objectId))}, read ${time(readAtMs, nowMs)}.</span></li>`;
  });
  return html`<h3>Statements of others</h3><ul>${items}</ul>
    <p class="muted">${left > 0 ? `${count(left)} more in the JSON. ` : ''}A statement is the word of its attester, and this site does not check it: <a href="/docs/source-verification#statements-of-others">how they are read</a>.</p>`;
}
