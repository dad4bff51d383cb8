import type {
  Build,
  BuildInput,
  BuildSource,
  FailedBuild,
} from '@adaptor-marketplace/move-toolchain/verify/anywhere';

/** Message to a worker of one build. */
export interface BuildRequest {
  kind: 'build';
  input: BuildInput;
}

/** Answers of the worker of one build: `ready` once all is loaded, `built` at the end. */
export type BuildAnswer =
  | { kind: 'step'; step: string }
  | { kind: 'ready' }
  | { kind: 'built'; built: Build | FailedBuild }
  | { kind: 'failed'; reason: string };

/** Longest time of one build without the loading of the compiler, in milliseconds. */
const buildMs = 20_000;

/** Builds in a worker of its own that ends with the build: a compiler does not stop by itself. */
export const buildApart =
  (report: (step: string) => void): BuildSource =>
  ({ folder, packages, isFree }, compiler, onChain, ids = new Map()) => {
    const worker = new Worker(self.location.href, { type: 'module' });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ended = new Promise<Build | FailedBuild>((resolve, reject) => {
      worker.addEventListener('error', ({ message }) =>
        reject(new Error(`The compiler of Sui ${compiler} stopped. ${message}`)),
      );
      worker.addEventListener('message', ({ data }: MessageEvent<BuildAnswer>) => {
        if (data.kind === 'step') report(data.step);
        if (data.kind === 'failed') reject(new Error(data.reason));
        if (data.kind === 'built') resolve(data.built);
        if (data.kind !== 'ready') return;
        report(`Building with the compiler of Sui ${compiler}…`);
        const reason = `The build took more than ${buildMs / 1_000} s in this browser.`;
        timer = setTimeout(() => resolve({ reason }), buildMs);
      });
      const request: BuildRequest = {
        kind: 'build',
        input: { compiler, folder, packages, isFree, onChain, ids },
      };
      worker.postMessage(request);
    });
    return ended.finally(() => {
      clearTimeout(timer);
      worker.terminate();
    });
  };
