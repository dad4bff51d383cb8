import type { HostileAdaptor } from './adaptor.ts';
import { composeGates } from './gates/compose.ts';
import { composeRake, listRakes } from './money/compose.ts';
import { composeRights } from './rights/compose.ts';
import { readWritten } from './written.ts';

/** All hostile adaptors. */
export const hostileAdaptors: readonly HostileAdaptor[] = [
  ...listRakes().map(composeRake),
  ...composeRights(),
  ...composeGates(),
  ...readWritten(),
];
