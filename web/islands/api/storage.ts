/** Reads a text that the browser stores for this site. */
export function readStored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a text, or removes it. Without storage, only this page knows it. */
export function store(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // The page works without storage.
  }
}

/** Reads a stored value; undefined if it is not JSON. */
export function readStoredJson<Value>(key: string): Value | undefined {
  try {
    return JSON.parse(readStored(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Calls `listener` when another tab of this site removes a stored text. */
export function listenToRemoval(name: string, listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if ((key === name || key === null) && readStored(name) === undefined) listener();
  });
}
