import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** An adaptor that visitors of a local network can publish and list. It needs no objects of its own. */
export interface SamplePackage {
  /** Base64. */
  modules: string[];
  /** Ids of the packages that it is linked to. */
  dependencies: string[];
}

const compiled = new Map<string, Promise<SamplePackage>>();

/** Compiles the sample package for a wallet package. Later calls return the same result. A failure is not cached. */
export function compileSamplePackage(
  wallet: string,
  compile: (wallet: string) => Promise<SamplePackage> = compileApart,
): Promise<SamplePackage> {
  const known = compiled.get(wallet);
  if (known) return known;
  const compiling = compile(wallet);
  compiled.set(wallet, compiling);
  compiling.catch(() => compiled.delete(wallet));
  return compiling;
}

/** Compiles in a thread of its own, because the compiler would block every other request of the process for seconds. */
async function compileApart(wallet: string): Promise<SamplePackage> {
  const worker = new Worker(new URL('./compile-apart.ts', import.meta.url), { workerData: wallet });
  // A compilation does not delay the end of the process. An error after the result has no other listener.
  worker.unref();
  worker.on('error', () => undefined);
  try {
    const [made] = (await once(worker, 'message')) as [SamplePackage];
    return made;
  } finally {
    await worker.terminate();
  }
}
