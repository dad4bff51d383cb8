/** A package version as it is on chain; it never changes. Ids have `0x` and 64 lower-case hex digits. */
export interface PackageContent {
  id: string;
  /** Of the first version. Bytecode names all packages by it. */
  originalId: string;
  version: bigint;
  /** Bytecode by module name. */
  modules: ReadonlyMap<string, Uint8Array>;
  /** The package version that first defined a datatype, by `module::Name`. */
  typeOrigins: ReadonlyMap<string, string>;
  /** Of each dependency, direct or not, the version that is called: its id by its original id. */
  linkage: ReadonlyMap<string, string>;
}

/** Where packages are read from. */
export interface PackageSource {
  /**
   * @param id of any version, in any spelling
   * @throws PackageError where there is none, or the node does not say
   */
  read(id: string, signal?: AbortSignal): Promise<PackageContent>;
}

/** `absent`: there is no such package. `too_large`: it exceeds the limits. `late`, `unavailable`: the node did not say. */
export class PackageError extends Error {
  readonly reason: 'absent' | 'too_large' | 'late' | 'unavailable';
  readonly packageId: string;

  constructor(reason: 'absent' | 'too_large' | 'late' | 'unavailable', packageId: string, message: string) {
    super(message);
    this.name = 'PackageError';
    this.reason = reason;
    this.packageId = packageId;
  }
}
