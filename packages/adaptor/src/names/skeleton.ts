import confusables from './confusables.json' with { type: 'json' };

/**
 * The look of each character in NFD, from Unicode's table of confusable characters (its licence is beside the file).
 */
const lookByCharacter = new Map(
  Object.entries(confusables).flatMap(([look, characters]) =>
    [...characters].map((character): [string, string] => [character, look]),
  ),
);

/**
 * Maximum length in characters. A B-tree entry of PostgreSQL holds 2,704 bytes, and one character of a name becomes 18
 * at most.
 */
const lengthMax = 256;

const accents = /[\u0300-\u036f]/g;
const invisible = /[\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const punctuation = /\p{P}/gu;

/**
 * Reduces a display name to its look: names with equal skeletons look alike. This is the skeleton of UTS #39 section 4
 * for text without case, spaces, punctuation and accents. So `Lagoon Swap` looks like `LAGOON-SWAP`, `Lag00n Swap`, and
 * the same with a Cyrillic a. Right-to-left text is compared in its logical order. A skeleton is not for people to
 * read. Only skeletons from the same version of the table can be compared.
 */
export function nameSkeleton(name: string): string {
  // Looks are taken before the case is dropped: a capital I looks like an l, a small i does not.
  const seen = toLook(name).normalize('NFKD');
  const small = Array.from(seen, (character) => character.toLowerCase()).join('');
  // Without case, an i may be a capital I too, so all characters that look like either become an l.
  const plain = toLook(small).replace(accents, '').replaceAll('i', 'l');
  const letters = plain.replace(punctuation, '');
  return Array.from(letters || plain)
    .slice(0, lengthMax)
    .join('');
}

/** Returns the skeleton of UTS #39 itself, without spaces and invisible characters. */
function toLook(text: string): string {
  const seen = text.replace(invisible, '').normalize('NFD');
  const look = Array.from(seen, (character) => lookByCharacter.get(character) ?? character).join('');
  return look.replace(invisible, '').normalize('NFD');
}
