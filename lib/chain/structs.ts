import { BcsReader, type BcsType, BcsWriter } from '@mysten/bcs';

// `@mysten/codegen` does not fit: its structs have all fields, and events of other deployments lack the appended ones.

// biome-ignore lint/suspicious/noExplicitAny: the field types of all structs together
type Fields = Record<string, BcsType<any, any>>;
type Values<F extends Fields> = { [Name in keyof F]: F[Name]['$inferType'] };

/** The fields of a Move struct in the order of their declaration, which is their order in BCS. */
export interface Layout<Leading extends Fields = Fields, Appended extends Fields = Fields> {
  /** Fields of every deployment. */
  leading: Leading;
  /** Fields that our deployment appends. Other deployments have only the leading fields. */
  appended: Appended;
}

// biome-ignore lint/complexity/noBannedTypes: no appended fields
export function defineLayout<Leading extends Fields, Appended extends Fields = {}>(
  leading: Leading,
  appended: Appended = {} as Appended,
): Layout<Leading, Appended> {
  return { leading, appended };
}

type Flat<T> = { [Name in keyof T]: T[Name] };

export type StructOf<L extends Layout> = Flat<Values<L['leading']> & Partial<Values<L['appended']>>>;

type Steps = Record<keyof Layout, [name: string, type: Fields[string]][]>;

/** Fields of each layout as lists, cached because structs are decoded often. */
const stepsByLayout = new WeakMap<Layout, Steps>();

/** Reads a struct from BCS: appended fields while bytes remain. @throws Error if the bytes do not fit the fields */
export function readStruct<L extends Layout>(layout: L, bytes: Uint8Array): StructOf<L> {
  let steps = stepsByLayout.get(layout);
  if (!steps) {
    steps = { leading: Object.entries(layout.leading), appended: Object.entries(layout.appended) };
    stepsByLayout.set(layout, steps);
  }
  // The bytes are copied: the reader takes byte vectors from the whole underlying buffer, past the end of a view.
  const reader = new BcsReader(new Uint8Array(bytes));
  const struct: Record<string, unknown> = {};
  for (const [name, type] of steps.leading) struct[name] = type.read(reader);
  for (const [name, type] of steps.appended) {
    // The reader has no public position, but the bytes that it returns have an offset.
    if (reader.readBytes(0).byteOffset === bytes.length) break;
    struct[name] = type.read(reader);
  }
  return struct as StructOf<L>;
}

/** Encodes a struct. The encoding ends before the first appended field that is absent. */
export function writeStruct({ leading, appended }: Layout, struct: Record<string, unknown>): Uint8Array {
  const writer = new BcsWriter();
  for (const [name, type] of Object.entries(leading)) type.write(struct[name], writer);
  for (const [name, type] of Object.entries(appended)) {
    if (struct[name] === undefined) break;
    type.write(struct[name], writer);
  }
  return writer.toBytes();
}
