/**
 * Characters that a reader does not see, and that hide or turn text: controls (but tab and line feed), marks of
 * direction, joiners without width, tags, private use.
 */
export const unseen = /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export const cleaned = (text: string): string => text.toWellFormed().replace(unseen, '');

/** Free text of publishers. A text that is longer is cut; what follows from it can be read by REST. */
const textLengthMax = 1_000;
/** Values that are data for programs, such as a transaction in base64: they have no blanks. */
const hasBlank = /\s/;

/** An answer as a model may see it: strangers wrote its texts. */
export function cleanedValue(value: unknown): unknown {
  if (typeof value === 'string') {
    const text = cleaned(value);
    return text.length > textLengthMax && hasBlank.test(text) ? `${text.slice(0, textLengthMax)}…` : text;
  }
  if (Array.isArray(value)) return value.map(cleanedValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleaned(key), cleanedValue(inner)]));
}
