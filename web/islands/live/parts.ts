/** Reads a page again, and replaces the parts with the same ids. It does not replace a part that has the focus. */
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
    keepState(before, after);
    before.replaceWith(document.adoptNode(after));
  }
  return true;
}

/** Copies the state of `details` and checkboxes, so that what the reader has opened stays open. */
function keepState(before: Element, after: Element): void {
  const opened = [...before.querySelectorAll('details')].map(({ open }) => open);
  for (const [at, details] of after.querySelectorAll('details').entries()) details.open = opened[at] ?? false;
  for (const box of after.querySelectorAll<HTMLInputElement>('input[type="checkbox"][id]')) {
    box.checked = before.querySelector<HTMLInputElement>(`#${box.id}`)?.checked ?? box.checked;
  }
}

const settleMs = 300;

/**
 * Calls `changed` after values of a GraphQL subscription. Values less than 300 ms apart cause one call. While the page
 * is hidden, the subscription is closed. When the page shows again, it opens, and `changed` is called at once.
 * @returns a function that ends it
 */
export function follow(query: string, variables: object, changed: () => void): () => void {
  let source: EventSource | undefined;
  let settled: ReturnType<typeof setTimeout> | undefined;
  const url = `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) })}`;

  function open(): void {
    source = new EventSource(url);
    source.addEventListener('next', () => {
      clearTimeout(settled);
      settled = setTimeout(changed, settleMs);
    });
  }
  function look(): void {
    if (document.visibilityState === 'hidden') {
      source?.close();
      source = undefined;
    } else if (!source) {
      open();
      // Values may have been missed while the page was hidden.
      changed();
    }
  }
  open();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    clearTimeout(settled);
    source?.close();
  };
}
