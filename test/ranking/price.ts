/** Entries of a first page. */
export const firstPage = 20;

/** The goal for the first page, in SUI that the attacker does not get back. */
export const goal = 3_000;

/** Prices of the chain, in SUI, rounded down to the attacker's favour. */
export const prices = { wallet: 0.01, use: 0.0026, review: 0.0026, job: 0.0026 };

/** Finds the smallest scale of an attack that works, up to `scaleMax`. Undefined if none does. */
export async function findSmallestScale(
  works: (scale: number) => Promise<boolean>,
  scaleMax: number,
): Promise<number | undefined> {
  if (!(await works(scaleMax))) return undefined;
  let [fails, enough] = [0, scaleMax];
  while (enough - fails > 1) {
    const scale = Math.floor((fails + enough) / 2);
    if (await works(scale)) enough = scale;
    else fails = scale;
  }
  return enough;
}
