/**
 * Characters that a reader does not see, and that hide or reorder text: controls (except tab and line feed), direction
 * marks, zero-width joiners, tags, private use.
 */
export const unseen = /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Removes unseen characters, and replaces lone surrogates with U+FFFD. */
export const cleanText = (text: string): string => text.toWellFormed().replace(unseen, '');

/** Bound on a publisher's free text in characters. A longer text is cut; the whole text is available by REST. */
const textLengthMax = 1_000;
/** Matches free text. Values for programs, such as a transaction in base64, contain no blanks. */
const hasBlank = /\s/;

/** Cleans a response for a model, because strangers wrote its texts. */
export function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') {
    const text = cleanText(value);
    return text.length > textLengthMax && hasBlank.test(text) ? `${text.slice(0, textLengthMax)}…` : text;
  }
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), cleanValue(inner)]));
}
