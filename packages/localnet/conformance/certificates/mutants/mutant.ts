/** A rule of the analysis that is taken out, by a change of its source text. */
export interface Mutant {
  /** The rule. */
  name: string;
  /** In `packages/adaptor/src/certify`. */
  file: string;
  /** Text that the file has once. */
  find: string;
  replace: string;
}

export const mutant = (name: string, file: string, find: string, replace = ''): Mutant => ({
  name,
  file,
  find,
  replace,
});
