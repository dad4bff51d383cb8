import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { type Layout, readStruct, type StructOf, writeStruct } from '../structs.ts';

/** The chain's own bound on an event (`max_event_emit_size`). */
const eventBytesMax = 256_000;

/** The events that a table of layouts describes, by the same keys. */
export type EventsOf<Layouts extends Record<string, Layout>> = {
  [Name in keyof Layouts]: StructOf<Layouts[Name]>;
};

export interface EventCodec<Events> {
  layouts: { readonly [Name in keyof Events]: Layout };
  names: readonly (keyof Events & string)[];
  /** Modules that emit the events, for codecs whose names are `module::Name`. */
  modules: readonly string[];
  isName(name: string): name is keyof Events & string;
  /**
   * Reads the fields of an event from its BCS bytes. Appended fields are read while bytes remain. Bytes after the known
   * fields are ignored.
   * @throws Error that names the fault: bytes that end within a field, more bytes than the chain allows, invalid UTF-8,
   * or a number that its field cannot hold
   */
  decode<Name extends keyof Events & string>(name: Name, bytes: Uint8Array): Events[Name];
  /**
   * Writes the bytes that a contract emits for this event: the inverse of `decode`, for tests and generators. They end
   * before the first appended field that is absent.
   */
  encode<Name extends keyof Events & string>(name: Name, event: Events[Name]): Uint8Array;
}

/** Reads and writes the events of one package. */
export function createEventCodec<Layouts extends Record<string, Layout>>(
  layouts: Layouts,
): EventCodec<EventsOf<Layouts>> {
  type Events = EventsOf<Layouts>;
  const names = Object.keys(layouts);
  return {
    layouts,
    names,
    modules: [...new Set(names.map((name) => name.split('::')[0]!))],
    isName: (name): name is keyof Events & string => Object.hasOwn(layouts, name),
    decode(name, bytes) {
      if (bytes.length > eventBytesMax) {
        throw new Error(`${name} of ${bytes.length} bytes: the chain emits none above ${eventBytesMax}`);
      }
      try {
        return readStruct(layouts[name]!, bytes) as Events[typeof name];
      } catch (error) {
        const length = `${name} of ${bytes.length} bytes`;
        throw new Error(`${length} does not decode: ${getErrorMessage(error)}`, { cause: error });
      }
    },
    encode: (name, event) => writeStruct(layouts[name]!, event),
  };
}
