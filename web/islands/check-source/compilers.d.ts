/** Modules that `web/assets/build-files.ts` provides. */

declare module 'build:framework' {
  /** Url of the framework's sources, see `buildFiles`. */
  const url: string;
  export default url;
}

declare module 'build:wasm/*' {
  /** Url of a compiler in WebAssembly, compressed with gzip. */
  const url: string;
  export default url;
}

declare module 'build:glue/*' {
  /** Loads the compiler from its bytes. */
  export default function load(options: { module_or_path: Uint8Array<ArrayBuffer> }): Promise<unknown>;
  export function verify_against_reference(input: string): string;
}
