/**
 * Allowance of a service, or budget of a delegate, without a limit: the largest u64. Taking from it does not reduce
 * it.
 */
export const unlimitedAllowance = 2n ** 64n - 1n;
