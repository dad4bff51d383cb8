export {
  canonicalTypeName,
  isMoveIdentifier,
  normalizeAddress,
  parseServiceType,
  toTypeName,
} from './chain/names.ts';
export { getErrorMessage } from './error-message.ts';
export { canonicalType } from './move-types.ts';
export { type Network, networks } from './networks.ts';
export { unlimitedAllowance } from './unlimited-allowance.ts';
