import { type Manifest, manifestHash } from '@adaptor-marketplace/adaptor/manifest';

/** Kinds of manifests. Only `good` ones can be verified. */
export const manifestKinds = ['good', 'other bytes', 'absent', 'no JSON', 'huge'] as const;
export type ManifestKind = (typeof manifestKinds)[number];

/** More than the service reads of a manifest. */
const hugeBytes = 300 * 1024;

/** Uri of a blob that nobody stored. */
export const absentBlob = 'walrus://AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/**
 * Writes a manifest of a service.
 * @returns its hash, and the text that is stored as it, which a bad one contradicts. Undefined: nothing is stored
 */
export function writeManifest(
  { serviceType, packageId }: { serviceType: string; packageId: string },
  name: string,
  kind: ManifestKind,
): { hash: string; stored: string | undefined } {
  const [, module = ''] = serviceType.split('::');
  const manifest = {
    name,
    category: 'Other',
    summary: 'A service of a simulated publisher.',
    serviceType,
    packageId,
    ops: [{ kind: 'custom', module, entry: 'run', label: 'Run it' }],
  } as unknown as Manifest;
  const text = JSON.stringify(manifest);
  const texts: Record<ManifestKind, string | undefined> = {
    good: text,
    'other bytes': text.replace('Service', 'service'),
    absent: undefined,
    'no JSON': '{',
    huge: text.padEnd(hugeBytes),
  };
  return { hash: manifestHash(manifest), stored: texts[kind] };
}
