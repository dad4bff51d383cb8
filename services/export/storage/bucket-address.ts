import { FatalError } from '../../../lib/errors/index.ts';

export interface BucketAddress {
  bucket: string;
  /** Empty, or with a slash at its end. */
  prefix: string;
}

const prefixLengthMax = 512;

/** @throws FatalError `bad_export_address` */
export function parseBucketAddress(text: string): BucketAddress {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? [];
  const names = path.replace(/\/$/, '').split('/');
  const isPath = path.length <= prefixLengthMax && names.every((name) => /^(?!\.+$)[\w.=-]+$/.test(name));
  if (bucket !== undefined && path === '') return { bucket, prefix: '' };
  if (bucket !== undefined && isPath) return { bucket, prefix: `${names.join('/')}/` };
  throw new FatalError(
    'bad_export_address',
    `${text} is not the address of a bucket. Write s3://bucket/prefix; a prefix has letters, digits and _ . = - /. To export to a folder, give its path without --to.`,
  );
}
