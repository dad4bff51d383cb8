/** A package version from the chain. It never changes. Ids have `0x` and 64 lower-case hex digits. */
export interface PackageContent {
  id: string;
  /** Id of the first version, which bytecode uses to name the package. */
  originalId: string;
  version: bigint;
  /** Bytecode by module name. */
  modules: ReadonlyMap<string, Uint8Array>;
  /** Ids of the package versions that first defined each datatype, by `module::Name`. */
  typeOrigins: ReadonlyMap<string, string>;
  /** Ids of the called versions of all dependencies, direct or not, by original id. */
  linkage: ReadonlyMap<string, string>;
}

/** A source of package content, such as a node. */
export interface PackageSource {
  /**
   * Reads a package version.
   * @param id of any version, in any spelling
   * @throws PackageUnreadableError if there is none, or the node does not answer
   */
  read(id: string, signal?: AbortSignal): Promise<PackageContent>;
}

/**
 * A failed read. `absent`: there is no such package. `too_large`: it exceeds the limits. `late`, `unavailable`: the
 * node did not answer.
 */
export class PackageUnreadableError extends Error {
  readonly reason: 'absent' | 'too_large' | 'late' | 'unavailable';
  readonly packageId: string;

  constructor(reason: 'absent' | 'too_large' | 'late' | 'unavailable', packageId: string, message: string) {
    super(message);
    this.name = 'PackageUnreadableError';
    this.reason = reason;
    this.packageId = packageId;
  }
}
