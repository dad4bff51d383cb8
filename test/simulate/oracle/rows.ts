/** A row of a table, as text. Two tables are equal if their rows are, in any order. */
export type Rows = Set<string>;

export const writeRow = (values: readonly unknown[]): string => JSON.stringify(values);
