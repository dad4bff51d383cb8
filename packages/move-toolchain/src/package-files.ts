/** Sources of one package: path inside the package (`Move.toml`, `sources/a.move`) to text. */
export type PackageFiles = Record<string, string>;

/** A package in a git repository, as a Move.toml names it. */
export interface GitSource {
  url: string;
  /** A tag, a branch, `HEAD` or the 40 hex digits of a commit. */
  rev: string;
  /** Folder of the package in the repository. */
  subdir: string;
}
