import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';

/** An adaptor package below `move/adaptors` and its manifest. */
export interface DemoAdaptor {
  folder: string;
  witness: string;
  manifest: Pick<
    Manifest,
    'name' | 'category' | 'summary' | 'ops' | 'supportedCoins' | 'feeBps' | 'integrator' | 'networks'
  >;
}

type ManifestOp = Manifest['ops'][number];
export type Call = NonNullable<ManifestOp['call']>;
type Argument = Call['args'][number];

/** An op in the adaptor's only module, which is named as its folder. */
export interface Op {
  kind: ManifestOp['kind'];
  entry: string;
  label: string;
  intentMode?: 'A' | 'D';
  call?: Call;
}

export const wallet: Argument = { role: 'wallet' };
export const amount: Argument = { role: 'amount' };
export const minOut: Argument = { role: 'minOut' };
export const clock: Argument = { role: 'clock' };
/** A shared object that the op changes. */
export const shared = (objectId: string): Argument => ({ role: 'object', objectId, mutable: true });
/** A shared object that the op only reads. */
export const read = (objectId: string): Argument => ({ role: 'object', objectId, mutable: false });
/** A value that the caller provides under that name. */
export const provided = (name: string, type: string): Argument => ({ role: 'pure', type, name });

/** The adaptor in `move/adaptors/<folder>`. */
export function adaptor(
  folder: string,
  witness: string,
  { ops, ...manifest }: Omit<DemoAdaptor['manifest'], 'ops' | 'networks'> & { ops: Op[] },
): DemoAdaptor {
  const inModule = ops.map((op) => ({ ...op, module: folder }));
  return { folder, witness, manifest: { ...manifest, networks: ['testnet'], ops: inModule } };
}
