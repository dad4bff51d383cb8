import { type Html, html } from '../components/html.ts';
import { sourcePath } from '../components/links.ts';
import { badge } from '../components/marks.ts';
import { plain, plainBlock } from '../components/plain.ts';
import { readVerdict } from '../components/source-verdict.ts';
import { address, time } from '../components/values.ts';
import type { PageRequest } from '../frame/page.ts';
import type { NamedSource, OfferedSource, SourceReach } from './adaptor-data.ts';
import { type Statement, statementsPart } from './statements-part.ts';

/** Longest part of a compiler's message that a page shows, in characters. */
const reasonMax = 1_000;

/** Renders how the offered source of a package compares with its code on chain. */
export function verdictWords(source: OfferedSource | null, { nowMs }: PageRequest): Html {
  if (source === null)
    return html`<p>${badge('neutral', 'Not offered')} No source was offered for the package.</p>`;
  const { verdict, compiler, reason, verifiedAtMs } = source;
  const [state, word, meaning] = readVerdict(verdict);
  const when = verifiedAtMs === null ? '' : html` Compared ${time(verifiedAtMs, nowMs)}`;
  const by =
    verifiedAtMs === null || compiler === null ? '' : html`, with the compiler of Sui ${plain(compiler)}`;
  return html`<p>${badge(state, word)} ${meaning}${when}${by}${verifiedAtMs === null ? '' : '.'}</p>
    ${reason === null ? '' : html`<details><summary>Reason</summary><div class="code"><pre tabindex="0"><code>${plainBlock(reason.slice(0, reasonMax))}</code></pre></div></details>`}`;
}

/** States why the commit that the manifest names is not among the offers, and when it is fetched again. */
function namedWords(named: NamedSource | null, { nowMs }: PageRequest): Html {
  if (named === null || named.state === 'READ') return '';
  const { state, reason, checkedAtMs, nextAttemptAtMs } = named;
  if (reason === null) return html`<p>The commit that the publisher names is fetched soon.</p>`;
  const last = checkedAtMs === null ? '' : html` Tried ${time(checkedAtMs, nowMs)}.`;
  const next =
    nextAttemptAtMs === null
      ? ' It is not tried again: name another commit, or offer the source.'
      : html` The next attempt is ${time(nextAttemptAtMs, nowMs)}.`;
  return html`<p>${badge('caution', state === 'FAILED' ? 'Commit not read' : 'Commit not read yet')} The commit that the publisher names could not be read: ${plain(reason.slice(0, reasonMax))}${last}${next}</p>`;
}

/** States for how many of the packages that the code can reach the source is verified. */
export function reachWords({ packageCount, verifiedCount, unverified }: SourceReach): Html {
  if (packageCount === 0)
    return html`<p class="muted">The packages that its code can reach are known once the bytecode is analyzed.</p>`;
  const left = packageCount - verifiedCount - unverified.length;
  const others =
    unverified.length === 0
      ? ''
      : html` Without verified source: ${unverified.map((id, at) => html`${at === 0 ? '' : ' '}${address(id)}`)}${left > 0 ? ` and ${left} more` : ''}`;
  return html`<p>${verifiedCount} of ${packageCount} packages that this code can reach ${verifiedCount === 1 ? 'is' : 'are'} verified; Sui's framework counts by its address.${others}</p>`;
}

export const notSafe: Html = html`<p class="muted"><strong>Verified is not safe.</strong> It says that you read the code that runs, not that this code is good. It can still take your coins, have mistakes, or be upgraded: <a href="/docs/source-verification">how source is compared</a>.</p>`;

interface Sourced {
  serviceType: string;
  packageSource: OfferedSource | null;
  namedSource: NamedSource | null;
  sourceReach: SourceReach;
  statements: readonly Statement[];
}

/** The part of an adaptor's page about its source. */
export function sourcePart(
  { serviceType, packageSource, namedSource, sourceReach, statements }: Sourced,
  publisher: string,
  request: PageRequest,
): Html {
  const next =
    packageSource === null
      ? html`<p>If you have it, <a href="/docs/source-verification#offer-source-to-a-marketplace">offer it</a>: no key is needed.</p>`
      : html`<p><a class="button quiet" href=${sourcePath(request.network, serviceType, { publisher })}>Read the source</a></p>`;
  return html`${verdictWords(packageSource, request)}${namedWords(namedSource, request)}${reachWords(sourceReach)}${next}${notSafe}${statementsPart(statements, request)}`;
}
