import { createHash } from 'node:crypto';

/** Says of call after call whether it belongs to the share; the same seed says the same. */
export function shareOfCalls(share: number, seed: number): () => boolean {
  let calls = 0;
  return () => {
    const digest = createHash('sha256').update(`${seed}:${calls++}`).digest();
    return digest.readUInt32BE(0) / 2 ** 32 < share;
  };
}
