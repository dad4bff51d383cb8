import { notLoaded } from '../../frame/head-script.ts';
import { keepSaying, sayIfSlow } from './toast.ts';

/**
 * Loads a part of the script, and says so if it takes long.
 * @returns undefined if it cannot be loaded, which the page then says, also in the place of what is missing
 */
export async function loadPart<Part>(text: string, load: () => Promise<Part>): Promise<Part | undefined> {
  const done = sayIfSlow(text);
  try {
    const part = await load();
    done();
    return part;
  } catch (error) {
    done();
    console.warn(error);
    keepSaying(notLoaded);
    for (const place of document.querySelectorAll('[data-loading]')) place.textContent = notLoaded;
    return undefined;
  }
}
