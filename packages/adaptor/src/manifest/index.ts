export {
  type AdjustedManifest,
  type ManifestWarning,
  manifestWarningCodes,
  manifestWarningsMax,
} from './adjust.ts';
export { type FunctionLookup, opMisfit, type TypeFacts } from './call-fit.ts';
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
  type PublishedManifest,
  parseManifest,
  toShownManifest,
  type VerifiedManifest,
} from './manifest.ts';
export {
  type ExecutableOp,
  isAmountTaken,
  isExecutable,
  type ListedOp,
  listFixedObjects,
  listOpArguments,
  listOpSteps,
  listOpTypeArgs,
  listRequiredValues,
  type OpFault,
  opFault,
  opFaultCodes,
  opSchema,
} from './op.ts';
export {
  findOpCoins,
  findOpFaults,
  type IndexedOpFault,
  type OpCoins,
  type OpMisfit,
  withMisfits,
} from './op-faults.ts';
export { findOpValue, type OpValue, opValues } from './op-values.ts';
export { encodePure, isPlainValue, parsePure } from './plain-value.ts';
export {
  domainProofLimits,
  domainProofPath,
  findProofFault,
  type PublisherLink,
  type PublisherProfile,
  publisherProfile,
} from './profile.ts';
export { plainTypeName, pureTypeName } from './pure-type.ts';
export { isRuleManifest, type RuleManifest, ruleManifestJsonSchema } from './rule-manifest.ts';
export { isShownForm } from './shown-form.ts';
export { findCommit, type ManifestSource, manifestSource, sourceHosts } from './source.ts';
