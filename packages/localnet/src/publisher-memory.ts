import { z } from 'zod';

/** A package on the network, and what its versions were made of. */
const KnownPackage = z.object({
  name: z.string(),
  folder: z.string(),
  /** Of the newest version. */
  packageId: z.string(),
  upgradeCapId: z.string(),
  modules: z.array(z.string()),
  /** The oldest first. `content` is the digest of the bytecode. */
  versions: z.array(z.object({ id: z.string(), content: z.string() })),
});

/** A transaction that was signed, and that the network may have executed or not. */
const Begun = z.object({
  digest: z.string(),
  name: z.string(),
  folder: z.string(),
  content: z.string(),
});

const Remembered = z.object({
  /** Of the account that publishes. */
  secretKey: z.string(),
  packages: z.array(KnownPackage),
  begun: Begun.optional(),
});

export type KnownPackage = z.infer<typeof KnownPackage>;
export type Begun = z.infer<typeof Begun>;
type Remembered = z.infer<typeof Remembered>;

/** Where a publisher stores what a later one continues with. */
export interface PublisherMemory {
  load(): string | undefined;
  save(text: string): void;
}

export function loadRemembered(memory: PublisherMemory): Remembered | undefined {
  const text = memory.load();
  return text === undefined ? undefined : Remembered.parse(JSON.parse(text));
}

export function saveRemembered(memory: PublisherMemory, remembered: Remembered): void {
  memory.save(JSON.stringify(remembered));
}
