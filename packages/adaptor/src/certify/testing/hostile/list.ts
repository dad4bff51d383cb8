import type { HostileAdaptor } from './adaptor.ts';
import { composeGate } from './gates/compose.ts';
import { gates } from './gates/gates.ts';
import { composeRake, listRakes } from './money/compose.ts';
import { composeSetter, openSetters } from './rights/compose.ts';
import { readWritten } from './written.ts';

/** All hostile adaptors. */
export const hostileAdaptors: readonly HostileAdaptor[] = [
  ...listRakes().map(composeRake),
  ...openSetters.map(composeSetter),
  ...Object.entries(gates).map(composeGate),
  ...readWritten(),
];
