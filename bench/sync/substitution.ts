import { createHash } from 'node:crypto';

/** Names of one listing's things on the chain. Those of a copy have the lengths of the original's. */
export interface ChainNames {
  packageId: string;
  capId: string;
  publisher: string;
  /** Digest of the transaction that published the package. */
  digest: string;
}

/** Distinct publishers of the copies. */
const publishers = 2_000;

/** Names of the nth copy of a listing. */
export function copyNames({ digest }: ChainNames, n: number): ChainNames {
  return {
    packageId: deriveId('package', n),
    capId: deriveId('cap', n),
    publisher: deriveId('publisher', n % publishers),
    digest: String(n).padStart(digest.length, 'x'),
  };
}

const deriveId = (kind: string, n: number) =>
  `0x${createHash('sha256').update(`${kind} ${n}`).digest('hex')}`;

/** A message with the places of an original's names, so that copies of it are made without decoding. */
export class MessageTemplate {
  readonly #bytes: Buffer;
  readonly #places: { name: keyof ChainNames; isText: boolean; offset: number }[] = [];

  constructor(bytes: Uint8Array, names: ChainNames) {
    this.#bytes = Buffer.from(bytes);
    for (const name of Object.keys(names) as (keyof ChainNames)[]) {
      for (const isText of [true, false]) {
        const pattern = encode(names[name], isText);
        if (!pattern) continue;
        for (let at = this.#bytes.indexOf(pattern); at >= 0; at = this.#bytes.indexOf(pattern, at + 1))
          this.#places.push({ name, isText, offset: at });
      }
    }
  }

  fill(names: ChainNames): Buffer {
    const copy = Buffer.from(this.#bytes);
    for (const { name, isText, offset } of this.#places) encode(names[name], isText)!.copy(copy, offset);
    return copy;
  }
}

/** Ids are texts in most fields, and bytes in bytecode and in contents of objects. Digests are always texts. */
function encode(name: string, isText: boolean): Buffer | undefined {
  if (isText) return Buffer.from(name);
  return name.startsWith('0x') ? Buffer.from(name.slice(2), 'hex') : undefined;
}
