import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSemaphore } from './semaphore.ts';

/**
 * Runs work one after another, each in a turn of the event loop of its own: requests are answered in between, however
 * much of it there is. One work must be short.
 */
export function createTurns() {
  const one = createSemaphore(1);
  return <T>(work: () => T): Promise<T> =>
    one.run(async () => {
      await nextTurn();
      return work();
    });
}

/** Characters of text that are worked on in one turn. JSON of this size is parsed in about 3 ms. */
const turnCharactersMax = 256 * 1024;

/** Maps texts in their order, in turns of at most `turnCharactersMax` or of one text. */
export async function mapTexts<T>(
  texts: readonly string[],
  toItem: (text: string, at: number) => T,
): Promise<T[]> {
  const items: T[] = [];
  let characters = 0;
  for (const [at, text] of texts.entries()) {
    if (characters > 0 && characters + text.length > turnCharactersMax) {
      await nextTurn();
      characters = 0;
    }
    characters += text.length;
    items.push(toItem(text, at));
  }
  return items;
}
