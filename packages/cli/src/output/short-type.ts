/** A Move type without its addresses, which would hide what matters to people. */
export const shortType = (type: string) => type.replace(/0x[0-9a-f]{1,64}::/g, '');
