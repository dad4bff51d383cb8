import type { Manifest } from '../../lib/adaptor/manifest.ts';

/** An op and where it is: what a call is built from. */
export interface Callable {
  /** What people call the package. */
  title: string;
  packageId: string;
  op: Manifest['ops'][number];
}
