/* Sources of modules whose code or types grow faster than their length. */

const names = Array.from({ length: 24 }, (_, i) => `v${i}`);
const turn = names.map((name, i) => `${name} = ${names[(i + 7) % names.length]} + ${i};`).join(' ');

/** One function with loops within loops, which pass values around all locals. */
export const mill = `module large::mill;
public fun grind(n: u64): u64 {
  ${names.map((name) => `let mut ${name} = n;`).join(' ')}
  while (v0 < n) { while (v1 < n) { while (v2 < n) { ${turn} if (v3 > n) break; }; ${turn} }; ${turn} };
  v23
}
`;

const fields = (value: string) => Array.from({ length: 32 }, (_, i) => `f${i}: ${value}`).join(', ');

/** Structs of 32 structs of 32 structs. Has four functions. */
export const wide = `module large::wide;
public struct A has copy, drop { ${fields('u64')} }
public struct B has copy, drop { ${fields('A')} }
public struct C has copy, drop { ${fields('B')} }
fun a(n: u64): A { A { ${fields('n')} } }
fun b(n: u64): B { let all = a(n); B { ${fields('all')} } }
fun c(n: u64): C { let all = b(n); C { ${fields('all')} } }
public fun fill(n: u64) { ${'c(n);'.repeat(1000)} }
`;

const passed = Array.from({ length: 60 }, (_, i) => i);
const shift = passed.map((i) => `v${i} = v${(i + 1) % passed.length};`).join(' ');

/** Functions that each pass their arguments around in a loop, then call the next one with all of them. */
export const chain = `module large::chain;
${passed
  .map(
    (n) => `public fun f${n}(${passed.map((i) => `n${i}: u64`).join(', ')}): u64 {
  ${passed.map((i) => `let mut v${i} = n${i};`).join(' ')}
  while (v0 < n0) { ${shift} };
  ${n + 1 < passed.length ? `f${n + 1}(${passed.map((i) => `v${i}`).join(', ')})` : 'v1'}
}
`,
  )
  .join('')}`;
