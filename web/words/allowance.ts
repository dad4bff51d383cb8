import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';

const noLimit = String(unlimitedAllowance);

/** @param allowance in base units, as the graph has it; null if the wallet's package does not limit grants */
export const isUnlimited = (allowance: string | null): boolean => allowance === null || allowance === noLimit;

/** Maximum number of services that one transaction revokes: even with the longest types it stays below the chain's 128 kB. */
export const revokedMax = 100;

/** Maximum number of grants of a wallet that the graph returns. */
export const grantsMax = 200;
