import { type Html, html } from './html.ts';
import { badge, type State } from './marks.ts';

/** Verdicts of the graph, with their state, name and meaning. */
const verdicts: Readonly<Record<string, readonly [State, word: string, meaning: string]>> = {
  EXACT: ['good', 'Exact', 'The source builds to the bytes on chain.'],
  SAME_CODE: ['good', 'Same code', 'The bytes differ, but each function takes the same step at each place.'],
  SAME_BUT_ERROR_LINES: [
    'good',
    'Same but for error lines',
    'Each function takes the same steps, but aborts name other lines of the source.',
  ],
  DIFFERS: ['danger', 'Differs', 'The offered source is not the code on chain.'],
  NOT_BUILT: ['caution', 'Not built', 'The offered source does not build.'],
  PENDING: ['neutral', 'Not compared yet', 'Source was offered, and waits to be built.'],
};

export const readVerdict = (verdict: string) => verdicts[verdict] ?? (['neutral', verdict, ''] as const);

/** Returns `true` for a verdict that speaks for the code on chain. */
export const isSourceVerified = (verdict: string | null): boolean => readVerdict(verdict ?? '')[0] === 'good';

/**
 * Renders a verdict that speaks for the code, and that it does not mean safe. Source with another one can be a
 * stranger's, so it renders nothing.
 */
export function sourceBadge(verdict: string | null): Html {
  const [state, word] = readVerdict(verdict ?? '');
  return isSourceVerified(verdict)
    ? html`<span title="Verified is not safe: the code is the one that you can read, good or bad.">${badge(state, `Source: ${word.toLowerCase()}`)}</span>`
    : '';
}
