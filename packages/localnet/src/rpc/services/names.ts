import { isValidSuiNSName, normalizeSuiNSName } from '@mysten/sui/utils';

/** A name of the name service, and where it points. */
export interface NameEntry {
  /** `label.sui` or `label.label.sui`, lower case. */
  name: string;
  /** Canonical. */
  address: string;
}

/**
 * The names of this network: a table that the process is started with. There is no name service on chain, so
 * names cannot be bought, changed or seen from Move.
 */
export class NameTable {
  readonly #byName = new Map<string, NameEntry>();
  readonly #byAddress = new Map<string, NameEntry>();

  /** The last entry of a name holds; an address is called by the last name that points to it. */
  constructor(entries: Iterable<NameEntry>) {
    const all = [...entries];
    for (const entry of all) this.#byName.set(entry.name, entry);
    for (const entry of all) {
      if (this.#byName.get(entry.name) === entry) this.#byAddress.set(entry.address, entry);
    }
  }

  byName(name: string): NameEntry | undefined {
    return this.#byName.get(name);
  }

  byAddress(address: string): NameEntry | undefined {
    return this.#byAddress.get(address);
  }
}

/** `@demo` and `demo.sui` in the last form, lower case; undefined for what is not a name. */
export function canonicalName(text: string): string | undefined {
  return isValidSuiNSName(text) ? normalizeSuiNSName(text, 'dot') : undefined;
}
