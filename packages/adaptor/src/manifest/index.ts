export { type CanType, type KnownFunction, opMisfit } from './call-fit.ts';
export {
  address,
  type CallSpec,
  callArgument,
  callSpec,
  moveIdentifier,
  moveType,
  type StepArgument,
  type StepSpec,
  stepSpec,
} from './call-spec.ts';
export { manifestName, manifestSummary, witnessType } from './fields.ts';
export { checkManifestAgainstListing, type Subject } from './fit.ts';
export { canonicalJson, manifestHash } from './hash.ts';
export {
  callSpecJsonSchema,
  categories,
  category,
  type ListedManifest,
  listedManifestSchema,
  type Manifest,
  manifestJsonSchema,
  manifestLimits,
  manifestSchema,
  type ParsedManifest,
  parseManifest,
} from './manifest.ts';
export {
  argumentsOf,
  type ExecutableOp,
  isExecutable,
  type ListedOp,
  type OpFault,
  opFault,
  opFaultCodes,
  opSchema,
  stepsOfOp,
  typeArgsOf,
} from './op.ts';
export { type OpFaultAt, type OpMisfit, opFaultsOf, withMisfits } from './op-faults.ts';
export { type OpValue, opValueOf, opValues } from './op-values.ts';
export { pureTypeName } from './pure-type.ts';
export { isRuleManifest, type RuleManifest, ruleManifestJsonSchema } from './rule-manifest.ts';
