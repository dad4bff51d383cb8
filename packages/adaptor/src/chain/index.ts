export { isExpiredName, type NameReader, readAddressName } from './address-name.ts';
export { type Answer, ask, isLate, type UnknownAnswer } from './answers.ts';
export { callOptions } from './call-options.ts';
export {
  type CoinInfo,
  type CoinReader,
  type CoinUnit,
  type CoinUnits,
  coinUnits,
  describeAmount,
  formatUnits,
  readCoinInfo,
} from './coin-units.ts';
export {
  createFunctionReader,
  type FunctionClient,
  type FunctionReader,
  type Parameter,
  readFunction,
  toFunctionSignature,
  typeText,
} from './functions.ts';
export { lacksListIndex } from './list-index.ts';
export { type ListingReader, type RegisteredListing, readListing } from './listing.ts';
export {
  createObjectReader,
  type InputObject,
  type ObjectBatchReader,
  type ObjectReader,
  readAhead,
  readObjects,
} from './objects.ts';
export {
  listOwnedObjects,
  type OwnedObjectReader,
  type OwnedObjects,
  type OwnedObjectsQuery,
} from './owned-objects.ts';
export {
  type Lineage,
  type LineageOptions,
  type PackageVersions,
  packageVersions,
  readLineage,
  type VersionReader,
  type VersionTimes,
} from './package-versions.ts';
export { findPublishedObject } from './published-object.ts';
export {
  findPublishers,
  isVerifiedPublisher,
  type PublisherReader,
  type Publishers,
  type PublisherVerdict,
} from './publisher.ts';
export { NodeUnavailableError, unwrapAnswer } from './unwrap-answer.ts';
export {
  checkWitness,
  type PackageReader,
  readWitness,
  type WitnessCheck,
  type WitnessResult,
} from './witness.ts';
