import type { PackageContent } from '../../../packages/source.ts';
import { Certifier } from '../../certify.ts';
import type { Program } from '../../code/program.ts';
import { certificateHash } from '../../hash.ts';

/** A program that a page of a browser can be given: maps as entries. */
export interface PlainProgram {
  root: PlainContent;
  dependencies: PlainContent[];
}

type PlainContent = Pick<PackageContent, 'id' | 'originalId' | 'version'> & {
  modules: [string, Uint8Array][];
  typeOrigins: [string, string][];
  linkage: [string, string][];
};

export const toPlain = ({ root, dependencies }: Program): PlainProgram => ({
  root: toPlainContent(root),
  dependencies: dependencies.map(toPlainContent),
});

const toPlainContent = ({ modules, typeOrigins, linkage, ...named }: PackageContent): PlainContent => ({
  ...named,
  // Copies, since a page does not know Node's buffers.
  modules: [...modules].map(([name, bytes]) => [name, new Uint8Array(bytes)]),
  typeOrigins: [...typeOrigins],
  linkage: [...linkage],
});

const fromPlain = ({ modules, typeOrigins, linkage, ...named }: PlainContent): PackageContent => ({
  ...named,
  modules: new Map(modules),
  typeOrigins: new Map(typeOrigins),
  linkage: new Map(linkage),
});

/** Certifies each callable function. Returns `module::function hash` of each. */
export function hashFunctions({ root, dependencies }: PlainProgram): string[] {
  const certifier = new Certifier({ root: fromPlain(root), dependencies: dependencies.map(fromPlain) });
  return certifier.targets.map(
    (target) => `${target.module}::${target.function} ${certificateHash(certifier.certify(target))}`,
  );
}
