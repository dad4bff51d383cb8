import confusables from './confusables.json' with { type: 'json' };

/** What each character looks like, by Unicode's table of confusable characters (licence beside it), in NFD. */
const lookOf = new Map(
  Object.entries(confusables).flatMap(([look, characters]) =>
    [...characters].map((character): [string, string] => [character, look]),
  ),
);

/** A btree entry of PostgreSQL holds 2,704 bytes; one character of a name becomes 18 at most. */
const lengthMax = 256;

const accents = /[\u0300-\u036f]/g;
const unseen = /[\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const punctuation = /\p{P}/gu;

/**
 * What a display name looks like: names with equal skeletons are alike. This is the skeleton of UTS #39 section 4 for
 * text without case, spaces, punctuation and accents. So `Lagoon Swap` is alike `LAGOON-SWAP`, `Lag00n Swap`, and the
 * same with a Cyrillic a. Right-to-left text is compared in its logical order. A skeleton is not for people to read,
 * and only skeletons of one version of the table can be compared.
 */
export function nameSkeleton(name: string): string {
  // The look comes before the case: a capital I looks like an l, a small one does not.
  const seen = lookAlike(name).normalize('NFKD');
  const small = Array.from(seen, (character) => character.toLowerCase()).join('');
  // Without case, i is a capital I too, so all that looks like either is one.
  const plain = lookAlike(small).replace(accents, '').replaceAll('i', 'l');
  const letters = plain.replace(punctuation, '');
  return Array.from(letters || plain)
    .slice(0, lengthMax)
    .join('');
}

/** The skeleton of UTS #39 itself, without spaces and what is invisible. */
function lookAlike(text: string): string {
  const seen = text.replace(unseen, '').normalize('NFD');
  const look = Array.from(seen, (character) => lookOf.get(character) ?? character).join('');
  return look.replace(unseen, '').normalize('NFD');
}
