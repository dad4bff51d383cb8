export { callMisfit } from './call-fit.ts';
export { address, type CallArgument, callArgument, callSpec, moveIdentifier, moveType } from './call-spec.ts';
export {
  canonicalTypeName,
  isMoveIdentifier,
  normalizeAddress,
  parseServiceType,
  typeNameOf,
} from './chain/names.ts';
export { messageOf } from './error-message.ts';
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
export { manifestName, manifestSummary, witnessType } from './manifest-fields.ts';
export { checkManifestAgainstListing, type Subject } from './manifest-fit.ts';
export { canonicalType } from './move-types.ts';
export { type Network, networks } from './networks.ts';
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
