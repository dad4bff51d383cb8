import { keepSaying } from '../api/toast.ts';

/**
 * Reads a page again, and replaces the elements with these ids, except one that contains the focus. Then dispatches the
 * event `replaced` on the document.
 * @returns `false` if the page cannot be read
 */
export async function replaceParts(
  url: string,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  const answer = await fetch(url, { headers: { accept: 'text/html' }, signal: signal ?? null });
  if (!answer.ok) return false;
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const id of ids) {
    const [before, after] = [document.getElementById(id), next.getElementById(id)];
    if (!before || !after || before.innerHTML === after.innerHTML) continue;
    if (before.contains(document.activeElement)) continue;
    copyState(before, after);
    before.replaceWith(document.adoptNode(after));
  }
  document.dispatchEvent(new Event('replaced'));
  return true;
}

/** Copies the state of `details` and checkboxes, so that what the reader has opened stays open. */
function copyState(before: Element, after: Element): void {
  const opened = [...before.querySelectorAll('details')].map(({ open }) => open);
  for (const [at, details] of after.querySelectorAll('details').entries()) details.open = opened[at] ?? false;
  for (const box of after.querySelectorAll<HTMLInputElement>('input[type="checkbox"][id]')) {
    box.checked = before.querySelector<HTMLInputElement>(`#${box.id}`)?.checked ?? box.checked;
  }
}

const settleMs = 300;
/** Time before a refused subscription is tried again. */
const retryMs = 30_000;

/** Functions that end the messages about subscriptions of this page that do not run now, by their urls. */
const refusals = new Map<string, () => void>();

function reportRefusal(url: string, reason: string): void {
  clearRefusal(url);
  refusals.set(url, keepSaying(reason));
}

function clearRefusal(url: string): void {
  refusals.get(url)?.();
  refusals.delete(url);
}

const refused =
  'The service refused to keep this page up to date, for example because too many pages are open. Close other pages of this site. It is tried again every 30 seconds.';

/**
 * Calls `changed` after values of a GraphQL subscription. Values less than 300 ms apart cause one call. While the page
 * is hidden, the subscription is closed. When the page shows again, it opens, and `changed` is called at once. If the
 * service refuses it, the page says so.
 * @returns a function that ends the subscription
 */
export function follow(query: string, variables: object, changed: () => void): () => void {
  let source: EventSource | undefined;
  let settled: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const url = `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`;

  function open(): void {
    const opened = new EventSource(url);
    source = opened;
    opened.addEventListener('open', () => clearRefusal(url));
    opened.addEventListener('next', ({ data }) => {
      const { data: value, errors } = JSON.parse(data);
      if (value) {
        clearTimeout(settled);
        settled = setTimeout(changed, settleMs);
        return;
      }
      // The service refuses the subscription itself, so it would fail again.
      opened.close();
      reportRefusal(url, `This page is not kept up to date: ${errors[0].message} Reload the page.`);
    });
    opened.addEventListener('error', () => {
      // The browser connects again by itself, unless the answer is an error.
      if (opened.readyState !== EventSource.CLOSED) return;
      reportRefusal(url, refused);
      retry = setTimeout(reopen, retryMs);
    });
  }
  function reopen(): void {
    open();
    // Values may have been missed meanwhile.
    changed();
  }
  function close(): void {
    clearTimeout(retry);
    source?.close();
    source = undefined;
    clearRefusal(url);
  }
  function onVisibilityChange(): void {
    if (document.visibilityState === 'hidden') close();
    else if (!source) reopen();
  }
  open();
  document.addEventListener('visibilitychange', onVisibilityChange);
  return () => {
    document.removeEventListener('visibilitychange', onVisibilityChange);
    clearTimeout(settled);
    close();
  };
}
