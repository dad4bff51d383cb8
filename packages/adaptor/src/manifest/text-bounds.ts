/** Lengths to which texts are shown, in code points: JSON Schema counts these. */
export const textBounds = { name: 128, category: 40, summary: 2048, deprecated: 512 };
export const labelMax = 128;

/** Cuts a text to `max` code points, the last of which is `…`. */
export const shorten = (text: string, max: number): string =>
  `${[...text.slice(0, 2 * max)].slice(0, max - 1).join('')}…`;
