export { callMisfit } from './call-fit.ts';
export { address, type CallArgument, callArgument, callSpec, moveIdentifier, moveType } from './call-spec.ts';
export { manifestName, manifestSummary, witnessType } from './fields.ts';
export { checkManifestAgainstListing, type Subject } from './fit.ts';
export {
  callSpecJsonSchema,
  canonicalJson,
  categories,
  category,
  type ListedManifest,
  listedManifestSchema,
  type Manifest,
  manifestHash,
  manifestJsonSchema,
  manifestLimits,
  manifestSchema,
  type ParsedManifest,
  parseManifest,
} from './manifest.ts';
export {
  type ExecutableOp,
  isExecutable,
  type ListedOp,
  type OpFault,
  opFault,
  opFaultCodes,
  opSchema,
} from './op.ts';
export { type OpFaultAt, type OpMisfit, opFaultsOf, withMisfits } from './op-faults.ts';
export { type OpValue, opValueOf, opValues } from './op-values.ts';
export { pureTypeName } from './pure-type.ts';
export { isRuleManifest, type RuleManifest, ruleManifestJsonSchema } from './rule-manifest.ts';
