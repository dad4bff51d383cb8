import type { IntrospectedWitness } from '@adaptor-marketplace/adaptor/introspect/types';
import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';

/** An op and where it is: what a call is built from. */
export interface Callable {
  /** What people call the package. */
  title: string;
  packageId: string;
  op: Manifest['ops'][number];
  /** The services that may be the one that acts: that of the listing, or all of the package. */
  witnesses: readonly IntrospectedWitness[];
}
