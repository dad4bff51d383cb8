import type { Certificate } from '../certify/index.ts';
import type { ChangesClaim } from './explanation.ts';
import { isCoin, type Movements, type Value } from './origin.ts';

/** Maximum number of fields of a claim. The others are counted. */
const fieldsMax = 20;

interface Change {
  type: string;
  fields: Set<string>;
  commands: Set<number>;
}

/** The stored fields that the calls of a transaction may write in wallets and in objects of its signers. */
export class Changes {
  readonly #byObject = new Map<string, Change>();

  /** Adds what a call may write in its arguments. */
  add(command: number, certificate: Certificate, args: readonly Value[], movements: Movements): void {
    for (const { parameter, fields } of listWrites(certificate)) {
      const value = args[parameter];
      for (const { objectId, type, from } of value?.parts.keys() ?? []) {
        if (objectId === undefined || type === '?' || from.kind === 'protocol') continue;
        movements.step(fields.length);
        // A container of the object has fields of its own.
        const isField = (path: string) => type.includes(path.slice(0, path.indexOf('::')));
        const own = value?.objectId === objectId ? fields : fields.filter(isField);
        if (own.length === 0) continue;
        const known = this.#byObject.get(objectId) ?? { type, fields: new Set(), commands: new Set() };
        for (const field of own) known.fields.add(field);
        known.commands.add(command);
        this.#byObject.set(objectId, known);
      }
    }
  }

  list(): ChangesClaim[] {
    return [...this.#byObject].map(([id, { type, fields, commands }]) => {
      const listed = dropParts(fields);
      const shown = listed.slice(0, fieldsMax);
      return { id, type, fields: shown, otherFields: listed.length - shown.length, commands: [...commands] };
    });
  }
}

interface ParameterWrites {
  parameter: number;
  fields: readonly string[];
}

const writes = new WeakMap<Certificate, readonly ParameterWrites[]>();

function listWrites(certificate: Certificate): readonly ParameterWrites[] {
  const known = writes.get(certificate) ?? findWrites(certificate);
  writes.set(certificate, known);
  return known;
}

/**
 * Finds the parameters whose objects can have the written fields, which claims name by the datatype around them: those whose
 * type names the package of the datatype; if there is none, each that the call can change. An object that is passed by value
 * can be changed if it does not end.
 */
function findWrites({ claims, parameters }: Certificate): ParameterWrites[] {
  const paths = claims.flatMap((claim) =>
    claim.kind === 'touches' && !('rest' in claim) && claim.access === 'writes' ? [claim.path] : [],
  );
  const staying = new Set(
    claims.flatMap((claim) => {
      if (claim.kind !== 'goesTo' || 'rest' in claim || claim.source.kind !== 'argument') return [];
      const isGone = claim.sink.kind === 'destroyed' || claim.sink.kind === 'burned' || isCoin(claim.type);
      return isGone ? [] : [claim.source.parameter];
    }),
  );
  const changeable = parameters.flatMap((type, parameter) =>
    type.startsWith('&mut ') || (!type.startsWith('&') && staying.has(parameter))
      ? [{ type, parameter }]
      : [],
  );
  const fields = new Map<number, string[]>();
  for (const [packageId, inPackage] of Map.groupBy(paths, (path) => path.slice(0, path.indexOf('::')))) {
    const naming = changeable.filter(({ type }) => type.includes(packageId));
    for (const { parameter } of naming.length > 0 ? naming : changeable) {
      fields.set(parameter, [...(fields.get(parameter) ?? []), ...inPackage]);
    }
  }
  return [...fields].map(([parameter, list]) => ({ parameter, fields: dropParts(list) }));
}

/** Sorts paths, without those of parts of others. */
function dropParts(paths: Iterable<string>): string[] {
  const all = new Set(paths);
  const isPart = (path: string) =>
    [...path.matchAll(/\[/g)].some(({ index }) => all.has(path.slice(0, index)));
  return [...all].filter((path) => !isPart(path)).sort();
}
