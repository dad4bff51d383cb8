import { notLoaded } from '../../frame/head-script.ts';
import { keepSaying } from './toast.ts';

/** Time after which a reader wonders if anything happens. */
const silentMs = 300;

/**
 * Loads a part of the script, and says so if it takes long.
 * @returns undefined if it cannot be loaded, which the page then says, also in the place of what is missing
 */
export async function loadPart<Part>(text: string, load: () => Promise<Part>): Promise<Part | undefined> {
  const waiting = setTimeout(() => keepSaying(text), silentMs);
  try {
    const part = await load();
    clearTimeout(waiting);
    keepSaying('');
    return part;
  } catch (error) {
    clearTimeout(waiting);
    console.warn(error);
    keepSaying(notLoaded);
    for (const place of document.querySelectorAll('[data-loading]')) place.textContent = notLoaded;
    return undefined;
  }
}
