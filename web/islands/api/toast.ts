/** The line of short messages that each page has. */

const toast = document.querySelector('#toast');
const shownMs = 2_500;
let hiding: ReturnType<typeof setTimeout> | undefined;
let lasting = '';

function show(text: string): void {
  // The text stays while it fades.
  if (text !== '' && toast) toast.textContent = text;
  toast?.classList.toggle('shown', text !== '');
}

/** Shows a message for a moment. */
export function say(text: string): void {
  clearTimeout(hiding);
  show(text);
  hiding = setTimeout(() => {
    hiding = undefined;
    show(lasting);
  }, shownMs);
}

/** Shows a message until another one is set; an empty one removes it. */
export function keepSaying(text: string): void {
  lasting = text;
  if (hiding === undefined) show(text);
}
