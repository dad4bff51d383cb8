/** Reads a page again, and puts parts of it in place of those with the same ids. What has the focus stays as it is. */
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

/** What the reader has opened stays open. */
function keepState(before: Element, after: Element): void {
  const opened = [...before.querySelectorAll('details')].map(({ open }) => open);
  for (const [at, details] of after.querySelectorAll('details').entries()) details.open = opened[at] ?? false;
  for (const box of after.querySelectorAll<HTMLInputElement>('input[type="checkbox"][id]')) {
    box.checked = before.querySelector<HTMLInputElement>(`#${box.id}`)?.checked ?? box.checked;
  }
}

const settleMs = 300;

/**
 * Calls `changed` when a subscription of the graph has a value: several in a row as one. It follows only while the page
 * is looked at, and again from where it was.
 */
export function follow(query: string, variables: object, changed: () => void): void {
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
      // What was missed meanwhile.
      changed();
    }
  }
  open();
  document.addEventListener('visibilitychange', look);
}
