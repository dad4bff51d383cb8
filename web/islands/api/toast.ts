/** The line of short messages that each page has. */

const toast = document.querySelector('#toast');
const shownMs = 2_500;
/** Time after which a reader wonders if anything happens. */
const silentMs = 300;
let hiding: ReturnType<typeof setTimeout> | undefined;
/** The messages that hold now. The last one is shown. */
const lasting = new Set<{ text: string }>();

function show(text: string): void {
  // The text stays while it fades.
  if (text !== '' && toast) toast.textContent = text;
  toast?.classList.toggle('shown', text !== '');
}

function showLasting(): void {
  if (hiding === undefined) show([...lasting].at(-1)?.text ?? '');
}

/** Shows a message for a moment. */
export function say(text: string): void {
  clearTimeout(hiding);
  show(text);
  hiding = setTimeout(() => {
    hiding = undefined;
    showLasting();
  }, shownMs);
}

/** Shows a message until the returned function is called. A later message covers it, and uncovers it at its own end. */
export function keepSaying(text: string): () => void {
  const message = { text };
  lasting.add(message);
  showLasting();
  return () => {
    lasting.delete(message);
    showLasting();
  };
}

/** Shows a message if work takes long. The returned function ends it, also if the script of the head shows it already. */
export function sayIfSlow(text: string): () => void {
  let stop = showLasting;
  const waiting = setTimeout(() => {
    stop = keepSaying(text);
  }, silentMs);
  return () => {
    clearTimeout(waiting);
    stop();
  };
}
