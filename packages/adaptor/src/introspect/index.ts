export { cachedPackages } from '../packages/cached.ts';
export { nodePackages } from '../packages/node-source.ts';
export { type PackageContent, type PackageSource, PackageUnreadableError } from '../packages/source.ts';
export { isSystemPackage } from '../packages/system.ts';
export { describePackage, findParsedModules } from './describe-package.ts';
export { type IntrospectOptions, introspect } from './introspect.ts';
export { listedWitnessWarnings } from './listed-witness.ts';
export type { IntrospectedOp, IntrospectedWitness, Introspection, WitnessWarning } from './types.ts';
