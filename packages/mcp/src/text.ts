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

/**
 * Cleans a response for a model, because strangers wrote its texts.
 * @param lengthMax bound on the characters of all texts and names together, after which nothing more is cleaned
 * @returns undefined for a response beyond the bound
 */
export function cleanValue(value: unknown, lengthMax = Number.POSITIVE_INFINITY): unknown {
  let left = lengthMax;
  const spend = (text: string) => {
    left -= text.length;
    return text;
  };
  const clean = (inner: unknown): unknown => {
    if (left < 0) return undefined;
    if (typeof inner === 'string') {
      const text = cleanText(inner);
      const isCut = text.length > textLengthMax && hasBlank.test(text);
      return spend(isCut ? `${text.slice(0, textLengthMax)}…` : text);
    }
    if (Array.isArray(inner)) return inner.map((one) => clean(one));
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, own]) => [spend(cleanText(key)), clean(own)]));
  };
  const cleaned = clean(value);
  return left < 0 ? undefined : cleaned;
}
