import { GrpcTypes } from '@mysten/sui/grpc';
import type { FieldInfo, IMessageType } from '@protobuf-ts/runtime';
import { invalidArgument, unimplemented } from '../server/status.ts';
import { badField } from '../server/status-details.ts';

/** Bounds on what a client may send as a mask. */
const maxPaths = 200;

type Selection = Map<string, Selection> | 'all';
type Message = Record<string, unknown>;

/**
 * Which fields of an answer a client wants (`google.protobuf.FieldMask`, snake_case paths, `*` for all).
 * Handlers ask `has` before they do costly work, and `apply` leaves out what was not asked for.
 */
export class ReadMask<T extends object> {
  readonly #type: IMessageType<T>;
  readonly #selection: Selection;

  private constructor(type: IMessageType<T>, selection: Selection) {
    this.#type = type;
    this.#selection = selection;
  }

  /**
   * @throws GrpcError INVALID_ARGUMENT for a path that the message does not have, and UNIMPLEMENTED for the display of
   * objects; a mask that means it among everything else goes without.
   */
  static parse<T extends object>(
    type: IMessageType<T>,
    mask: { paths: string[] } | undefined,
    defaultPaths: string,
  ): ReadMask<T> {
    const paths = mask && mask.paths.length > 0 ? mask.paths : defaultPaths.split(',');
    if (paths.length > maxPaths) throw wrongMask(`more than ${maxPaths} paths`);
    let selection: Selection = new Map();
    for (const path of paths) {
      if (path === '*') selection = 'all';
      else if (selection !== 'all') select(selection, type, path);
    }
    return new ReadMask(type, selection);
  }

  /** Whether anything at or under `path` is wanted. */
  has(path: string): boolean {
    return this.#find(path) !== undefined;
  }

  /** The mask for the messages at `path`, which have the type `type`. */
  at<Inner extends object>(path: string, type: IMessageType<Inner>): ReadMask<Inner> {
    return new ReadMask(type, this.#find(path) ?? new Map());
  }

  #find(path: string): Selection | undefined {
    let selection: Selection | undefined = this.#selection;
    for (const segment of path.split('.')) {
      if (selection === 'all' || selection === undefined) return selection;
      selection = selection.get(segment);
    }
    return selection;
  }

  /** A copy with the wanted fields only. */
  apply(message: T): T {
    return trim(this.#type.fields, message as Message, this.#selection) as T;
  }
}

function select(selection: Map<string, Selection>, type: IMessageType<object>, path: string): void {
  const segments = path.split('.');
  let fields: readonly FieldInfo[] = type.fields;
  let level = selection;
  for (const [index, segment] of segments.entries()) {
    const field = fields.find((candidate) => candidate.name === segment);
    if (!field) throw wrongMask(`${type.typeName} has no field ${JSON.stringify(path.slice(0, 200))}`);
    if (field.kind === 'message' && field.T() === GrpcTypes.Display) throw noDisplay();
    const known = level.get(segment);
    if (known === 'all') return;
    if (index === segments.length - 1) {
      level.set(segment, 'all');
      return;
    }
    // What lies inside a map or a JSON value has no path.
    const isMessage = field.kind === 'message' && field.T().typeName !== 'google.protobuf.Value';
    fields = isMessage ? field.T().fields : [];
    const next = known ?? new Map<string, Selection>();
    level.set(segment, next);
    level = next;
  }
}

function trim(fields: readonly FieldInfo[], message: Message, selection: Selection): Message {
  if (selection === 'all') return message;
  const trimmed: Message = {};
  for (const field of fields) {
    const chosen = selection.get(field.name);
    if (field.oneof) {
      const group = message[field.oneof] as { oneofKind: string | undefined } & Message;
      trimmed[field.oneof] ??= { oneofKind: undefined };
      if (chosen && group.oneofKind === field.localName) {
        const value = trimValue(field, group[field.localName], chosen);
        trimmed[field.oneof] = { oneofKind: field.localName, [field.localName]: value };
      }
    } else if (chosen && message[field.localName] !== undefined) {
      trimmed[field.localName] = trimValue(field, message[field.localName], chosen);
    } else if (field.kind !== 'map' && field.repeat) {
      trimmed[field.localName] = [];
    } else if (field.kind === 'map') {
      trimmed[field.localName] = {};
    }
  }
  return trimmed;
}

function trimValue(field: FieldInfo, value: unknown, selection: Selection): unknown {
  if (selection === 'all' || field.kind !== 'message') return value;
  const inner = field.T().fields;
  return Array.isArray(value)
    ? value.map((item: Message) => trim(inner, item, selection))
    : trim(inner, value as Message, selection);
}

const noDisplay = () =>
  unimplemented(
    'read_mask: this network does not render display: take the objects of 0x2::display::Display<T>',
  );

const wrongMask = (reason: string) =>
  invalidArgument(`invalid read_mask: ${reason}`, [badField('read_mask', reason)]);
