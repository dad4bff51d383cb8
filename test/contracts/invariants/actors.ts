/** Addresses of those who send transactions. */
export const actors = ['a11ce', 'b0b', 'ca201', 'da4e', 'e71'].map((name) => `0x${name.padStart(64, '0')}`);
