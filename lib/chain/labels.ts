import { parseTypeName } from '@adaptor-marketplace/adaptor/names';

/** Formats a type's name as words: `Recipient allowlist` for `0x…::rule::RecipientAllowlist`. */
export function formatTypeLabel(type: string): string {
  const words = parseTypeName(type)
    .replaceAll('_', ' ')
    .replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
    .trim()
    .split(/\s+/);
  return words
    .map((word, at) => (at === 0 || /^[A-Z\d]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
}
