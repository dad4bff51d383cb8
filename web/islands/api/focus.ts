/**
 * Focuses the first of these elements that can have the focus, unless something has it. Its place in the page does not
 * scroll.
 */
export function focusFirst(elements: readonly (Element | null)[]): void {
  for (const element of elements) {
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    if (element instanceof HTMLElement) element.focus({ preventScroll: true });
  }
}
