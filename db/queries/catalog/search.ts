/** The words of a search in lower case; none where it is absent or blank. */
export const wordsOf = (q: string | undefined): string[] =>
  q
    ?.toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '') ?? [];

/** As a pattern of LIKE: the word anywhere, with nothing in it acting as a pattern. */
const anywhere = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

/**
 * A condition that an entry meets which has the word: as a part of its text, or with a typo. Both use the trigram index
 * of `search_text`.
 */
export function matches(value: (given: string) => string, word: string): string {
  return `(search_text like ${value(anywhere(word))} or ${value(word)} <% search_text)`;
}

/**
 * The sort keys of a search, best first: how well name, then integrator, then the rest match the words; then use and
 * rating. Rounded, so that entries that match alike are ordered by use.
 * @param words expression of the words, a text[]
 */
export function rank(words: string): string[] {
  const phrase = `array_to_string(${words}, ' ')`;
  return [
    `(-round((
      case when lower(name) = ${phrase} then 8 when starts_with(lower(name), ${phrase}) then 4 else 0 end
      + (select avg(greatest(4 * word_similarity(word, lower(name)),
          2 * word_similarity(word, lower(coalesce(integrator, ''))), word_similarity(word, search_text)))
        from unnest(${words}) word))::numeric, 1))`,
    `(-round((ln(1 + actions) + coalesce(score_sum::numeric / nullif(review_count, 0), 0) / 5)::numeric, 6))`,
  ];
}
