export {
  canonicalTypeName,
  isMoveIdentifier,
  normalizeAddress,
  parseServiceType,
  typeNameOf,
} from './chain/names.ts';
export { messageOf } from './error-message.ts';
export { canonicalType } from './move-types.ts';
export { type Network, networks } from './networks.ts';
