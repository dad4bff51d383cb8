export { draftCall } from './call.ts';
export { chooseWitness, WitnessUnresolvedError } from './choose-witness.ts';
export { draftListing, type ListingDraft } from './listing.ts';
export {
  type AlikeListing,
  alikeWarnings,
  listingWarningCodes,
  otherPublisherWarnings,
  publisherWarnings,
} from './listing-warnings.ts';
export type { NamedObject } from './objects.ts';
export { readFixedObjects } from './read-objects.ts';
export {
  type DescribedRegistry,
  type DraftedEntry,
  describeRegistryCall,
  type RegistryCall,
  registryCall,
} from './registry-call.ts';
export {
  collectProvidedValues,
  type ProvidedValue,
  ProvidedValuesInvalidError,
  requiredValues,
} from './required-values.ts';
export { selectOps } from './select-ops.ts';
export { isDraftable } from './sequence.ts';
export { type BuiltTransaction, buildUnsigned, unsignedTransaction } from './unsigned-transaction.ts';
export { type Warning, warningSchema, witnessWarningSchema } from './warning.ts';
