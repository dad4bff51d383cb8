import type { Acts } from './act.ts';
import { jobActs } from './jobs.ts';
import { packageActs } from './packages.ts';
import { registryActs } from './registry.ts';
import { walletActs } from './wallet.ts';

export type { Actor, Scene } from './act.ts';

/** Acts by name. */
export const acts: Acts = { ...registryActs, ...walletActs, ...jobActs, ...packageActs };
