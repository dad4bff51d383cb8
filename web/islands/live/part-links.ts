import { say } from '../api/toast.ts';
import { replaceParts } from './parts.ts';

/**
 * Follows links that change one part of the page, those with `data-part`, without a page load.
 * @param changed called after a part was replaced
 */
export function followPartLinks(changed: () => unknown = () => {}): void {
  document.addEventListener('click', async (event) => {
    const { target, ctrlKey, metaKey, shiftKey } = event;
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[data-part]') : null;
    if (!link || ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    const { href, dataset, textContent } = link;
    const { part = '' } = dataset;
    // `replaceParts` does not replace a part that has the focus.
    link.blur();
    const isShown = await replaceParts(href, [part]).catch(() => undefined);
    if (isShown === undefined) return say('This site does not answer. Check that you are online.');
    if (!isShown) return location.assign(href);
    history.replaceState(null, '', href);
    const links = [...document.querySelectorAll<HTMLElement>(`a[data-part="${part}"]`)];
    links.find((one) => one.textContent === textContent)?.focus();
    await changed();
  });
}
