import { BcsReader, type BcsType, BcsWriter } from '@mysten/bcs';

// Not `@mysten/codegen`: its structs have all fields, and other deployments lack the appended ones.

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

/** Fields of each layout as lists, cached so that they are not made for each struct. */
const stepsByLayout = new WeakMap<Layout, Steps>();

/** Reads a struct from BCS: appended fields while bytes remain. @throws Error if the bytes do not fit the fields */
export function readStruct<L extends Layout>(layout: L, bytes: Uint8Array): StructOf<L> {
  let steps = stepsByLayout.get(layout);
  if (!steps) {
    steps = { leading: Object.entries(layout.leading), appended: Object.entries(layout.appended) };
    stepsByLayout.set(layout, steps);
  }
  // A copy of its own: the reader takes byte vectors from the whole underlying buffer, past the end of a view.
  const reader = new BcsReader(new Uint8Array(bytes));
  const event: Record<string, unknown> = {};
  for (const [name, type] of steps.leading) event[name] = type.read(reader);
  for (const [name, type] of steps.appended) {
    // The reader exposes its position only through what it reads.
    if (reader.readBytes(0).byteOffset === bytes.length) break;
    event[name] = type.read(reader);
  }
  return event as StructOf<L>;
}

/** Encodes a struct. The first absent appended field ends it. */
export function writeStruct({ leading, appended }: Layout, event: Record<string, unknown>): Uint8Array {
  const writer = new BcsWriter();
  for (const [name, type] of Object.entries(leading)) type.write(event[name], writer);
  for (const [name, type] of Object.entries(appended)) {
    if (event[name] === undefined) break;
    type.write(event[name], writer);
  }
  return writer.toBytes();
}
