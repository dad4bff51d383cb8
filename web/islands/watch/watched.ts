import { readStoredJson, store } from '../api/storage.ts';

/** A subject of notifications: the listing of a publisher, or all of a publisher. */
export interface Watched {
  network: string;
  publisher: string;
  /** Service type in canonical form. Absent: all listings of the publisher. */
  serviceType?: string | undefined;
  name: string;
}

const key = 'watched';
/** Maximum number of listings and publishers that a browser watches. A new one replaces the oldest. */
const watchedMax = 50;

export function readWatched(): Watched[] {
  const stored = readStoredJson<Watched[]>(key);
  return Array.isArray(stored) ? stored : [];
}

export const isSame = (a: Watched, b: Watched): boolean =>
  a.network === b.network && a.publisher === b.publisher && a.serviceType === b.serviceType;

export function addWatched(one: Watched): void {
  const others = readWatched().filter((other) => !isSame(one, other));
  store(key, JSON.stringify([...others, one].slice(-watchedMax)));
}

export function removeWatched(one: Watched): void {
  const others = readWatched().filter((other) => !isSame(one, other));
  store(key, others.length === 0 ? undefined : JSON.stringify(others));
}

/** Returns `true` if the reader has allowed notifications. */
export const mayNotify = (): boolean => 'Notification' in globalThis && Notification.permission === 'granted';

/** Returns `true` if the reader has allowed notifications, and watches something. */
export const isWatching = (): boolean => mayNotify() && readWatched().length > 0;
