import type { Status } from '@adaptor-marketplace/sdk';
import { badge, counted, empty, type Html, html, type State } from '../../components/index.ts';
import { RequestRefusedError } from '../api/ask.ts';
import { request } from '../portal/session.ts';
import { loadConfirmations } from './confirmations.ts';
import { countPages } from './count-pages.ts';
import type { Dispatching } from './dispatcher.ts';
import { loadUnknownRuns } from './runs.ts';
import { createSection, type Section } from './section.ts';

interface PendingCounts {
  runs: number;
  updates: number;
  freezes: number;
}

interface AttentionItem {
  state: State;
  word: string;
  what: Html;
  path?: string;
}

/** Waits for a number; 0 if the marketplace has no agent service. @throws RequestRefusedError, ActionFailedError */
const orNone = (counting: Promise<number>): Promise<number> =>
  counting.catch((error) => {
    if (error instanceof RequestRefusedError && error.code === 'agent_not_configured') return 0;
    throw error;
  });

/** Creates the list of everything in this marketplace that needs the operator. */
export function createAttentionSection(
  sources: Section<Status>,
  dispatcher: Section<Dispatching>,
): Section<PendingCounts> {
  function listItems({ runs, updates, freezes }: PendingCounts): AttentionItem[] {
    const items: AttentionItem[] = [];
    const add = (number: number, item: AttentionItem) => {
      if (number > 0) items.push(item);
    };
    for (const [network, { sources: own, manifests }] of Object.entries(sources.data()?.networks ?? {})) {
      for (const { name, ready, removedMs } of own)
        if (!ready && removedMs === null)
          add(1, { state: 'danger', word: 'Behind', what: `The source ${name} of ${network} is not ready.` });
      const failing = ['mismatch', 'invalid', 'unreachable'].reduce(
        (sum, state) => sum + (manifests[state] ?? 0),
        0,
      );
      add(failing, {
        state: 'neutral',
        word: 'Publishers',
        what: `${counted(failing, 'manifest')} of ${network} failed. Their publishers fix them.`,
        path: `/operator/listings?network=${network}#manifest`,
      });
    }
    const failing = dispatcher.data()?.webhooks.filter(({ failingSinceMs }) => failingSinceMs !== null) ?? [];
    add(failing.length, {
      state: 'caution',
      word: 'Webhooks',
      what: `${counted(failing.length, 'receiver')} failed each attempt since the last success.`,
    });
    add(runs, {
      state: 'danger',
      word: 'Settle',
      what: `${counted(runs, 'run')} may have executed, and no node can say. The wallets stay locked until you settle them.`,
      path: '/operator/agent',
    });
    add(updates, {
      state: 'caution',
      word: 'Confirm',
      what: `${counted(updates, 'confirmed adaptor')} changed. Runs that need a confirmation do not call them now.`,
      path: '/operator/listings',
    });
    add(freezes, {
      state: 'caution',
      word: 'Frozen',
      what: `${counted(freezes, 'freeze')} in force.`,
      path: '/operator/agent',
    });
    return items;
  }

  return createSection<PendingCounts>({
    title: 'For you to do',
    async load() {
      const [runs, updates, freezes] = await Promise.all([
        orNone(countPages(loadUnknownRuns, () => true)),
        orNone(countPages(loadConfirmations, ({ state }) => state !== 'confirmed')),
        orNone(request<{ count: number }>('/api/agent/freezes').then(({ count }) => count)),
      ]);
      return { runs, updates, freezes };
    },
    show(waiting) {
      const items = listItems(waiting);
      if (items.length === 0)
        return empty(
          'Nothing to do',
          html`<p>Runs to settle, updates to confirm and failures appear here.</p>`,
        );
      return items.map(
        ({ state, word, what, path }) =>
          html`<div class="allowed"><div><p>${badge(state, word)} ${what}</p></div>${path === undefined ? '' : html`<a class="button quiet" href=${path}>Open</a>`}</div>`,
      );
    },
  });
}
