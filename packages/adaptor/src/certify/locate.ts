import {
  type Datatype,
  isSystemType,
  type MoveType,
  referent,
  substitute,
} from '../introspect/code/move-type.ts';
import { isSystemPackage } from '../packages/system.ts';
import type { StatePath } from './claims.ts';
import type { LinkedCode } from './code/program.ts';
import { datatypeName, type Path, type Step, typeText } from './flow/path.ts';

/** A part of a parameter, named independently of the parameter. */
export interface Location {
  path: StatePath;
  /** The innermost field that `path` begins with, and the steps from there. */
  anchor: string;
  tail: readonly Step[];
  /** Type of the part. Undefined if it is not known. */
  type: MoveType | undefined;
  /** Datatypes that the part is within, from the parameter's type to the innermost, without the framework's. */
  owners: readonly Datatype[];
  /** True if the path can stand for parts below it. */
  isVague: boolean;
}

const known = new WeakMap<LinkedCode, WeakMap<MoveType, Map<string, Location>>>();

/** Names a part of a parameter of the given type. */
export function locate(code: LinkedCode, parameter: MoveType, path: Path): Location {
  const byType = known.get(code) ?? new WeakMap<MoveType, Map<string, Location>>();
  known.set(code, byType);
  const byPath = byType.get(parameter) ?? new Map<string, Location>();
  byType.set(parameter, byPath);
  const found = byPath.get(path.text) ?? findLocation(code, parameter, path);
  byPath.set(path.text, found);
  return found;
}

function findLocation(code: LinkedCode, parameter: MoveType, { steps }: Path): Location {
  let type: MoveType | undefined = referent(parameter);
  let path = type.kind === 'datatype' ? datatypeName(type) : typeText(type);
  let anchor = path;
  let tail: Step[] = [];
  const owners: Datatype[] = [];
  let isSystemRoot = type.kind === 'datatype' && isSystemPackage(type.address);
  if (isOwner(type)) owners.push(type);
  for (const step of steps) {
    if (step.kind === 'any') {
      return { path: `${path}.*`, anchor, tail: [...tail, step], type, owners, isVague: true };
    }
    tail.push(step);
    if (step.kind === 'field' && type?.kind === 'datatype') {
      if (isOwner(type)) {
        path = `${datatypeName(type)}.${step.name}`;
        anchor = path;
        tail = [];
      } else if (isSystemRoot) path += `.${step.name}`;
    }
    if (step.kind === 'dynamic') path += `[${typeText(step.key)}]`;
    // Options and maps of the framework are vectors inside, which says nothing.
    if (step.kind === 'item' && !path.endsWith('[]')) path += '[]';
    type = partType(code, type, step);
    if (isOwner(type)) {
      owners.push(type);
      isSystemRoot = false;
    }
  }
  return { path, anchor, tail, type, owners, isVague: false };
}

const isOwner = (type: MoveType | undefined): type is Datatype =>
  type?.kind === 'datatype' && !isSystemPackage(type.address);

function partType(code: LinkedCode, type: MoveType | undefined, step: Step): MoveType | undefined {
  if (step.kind === 'dynamic') return step.value;
  if (step.kind === 'item') return type?.kind === 'vector' ? type.item : undefined;
  if (step.kind !== 'field' || type?.kind !== 'datatype') return undefined;
  const field = code.fields(type)?.get(step.name);
  return substitute(field?.type, type.args);
}

/** Bound on the depth of types within types. */
const depthMax = 8;

const parts = new WeakMap<LinkedCode, Map<string, ReadonlySet<string> | undefined>>();

/**
 * The datatypes of which a value of the type contains values, without the framework's. Undefined if one is unknown: any
 * value can be in the dynamic fields of an object.
 */
export function listParts(code: LinkedCode, type: MoveType | undefined): ReadonlySet<string> | undefined {
  if (!type) return undefined;
  const byType = parts.get(code) ?? new Map<string, ReadonlySet<string> | undefined>();
  parts.set(code, byType);
  const text = typeText(type);
  if (!byType.has(text)) byType.set(text, findParts(code, type, 0));
  return byType.get(text);
}

function findParts(code: LinkedCode, type: MoveType | undefined, depth: number): Set<string> | undefined {
  if (!type || depth > depthMax) return undefined;
  if (type.kind === 'vector') return findParts(code, type.item, depth + 1);
  if (type.kind === 'reference') return findParts(code, type.to, depth + 1);
  if (type.kind !== 'datatype') return type.kind === 'primitive' ? new Set() : undefined;
  if (isSystemType(type, '0x2::object::UID')) return undefined;
  const found = new Set(isOwner(type) ? [datatypeName(type)] : []);
  const fields = code.fields(type);
  if (!fields) return undefined;
  for (const field of fields.values()) {
    const inner = findParts(code, substitute(field.type, type.args), depth + 1);
    if (!inner) return undefined;
    for (const part of inner) found.add(part);
  }
  return found;
}

/** The type parameters in a type, without those that no value in it has. */
export function listTypeParameters(type: MoveType): number[] {
  if (type.kind === 'parameter') return [type.index];
  if (type.kind === 'vector') return listTypeParameters(type.item);
  if (type.kind !== 'datatype') return [];
  return type.args.filter((_, i) => !type.phantoms[i]).flatMap(listTypeParameters);
}

export const isContext = (type: MoveType): boolean =>
  isSystemType(referent(type), '0x2::tx_context::TxContext');
export const isClock = (type: MoveType): boolean => isSystemType(referent(type), '0x2::clock::Clock');
export const isRandom = (type: MoveType): boolean => isSystemType(referent(type), '0x2::random::Random');
