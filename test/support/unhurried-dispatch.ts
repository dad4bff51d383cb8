/** A dispatcher's bounds, where the slowest machine could not reach them. */
export const unhurriedDispatch = { timeoutMs: 600_000, leaseMs: 3_600_000 };
