import type { EventPosition } from './subscriptions.ts';

/** `<checkpoint>.<transaction index>.<event index>`: the cursor that consumers hold. */
export const formatPosition = (position: EventPosition): string => position.join('.');

const form = /^(\d{1,15})\.(\d{1,9})\.(\d{1,9})$/;

/** Undefined for what `formatPosition` does not give. */
export function parsePosition(text: string): EventPosition | undefined {
  const match = form.exec(text);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

/** Whether `a` comes before `b` in their network. */
export function isBefore(a: EventPosition, b: EventPosition): boolean {
  for (const part of [0, 1, 2] as const) if (a[part] !== b[part]) return a[part] < b[part];
  return false;
}
