import { imageSize } from 'image-size';

/** Bytes of a picture that the site shows, and its media type. */
export interface Picture {
  bytes: Buffer;
  mediaType: string;
}

/** Maximum bytes of a picture. It is shown at some 20 pixels. */
export const pictureBytesMax = 64 * 1024;
/** Maximum width and height: a small file can have a picture that fills the memory of a browser. */
const sideMax = 2_048;

/** First bytes of the forms that are shown, in hex. Others are not: SVG can run script, and few browsers show the rest. */
const signatures: readonly (readonly [form: string, mediaType: string, pattern: RegExp])[] = [
  ['png', 'image/png', /^89504e470d0a1a0a/],
  ['jpg', 'image/jpeg', /^ffd8ff/],
  ['webp', 'image/webp', /^52494646.{8}57454250/],
];
const signatureLength = 12;

/** Returns the bytes as a picture, or the reason why they are none. */
export function toPicture(bytes: Uint8Array): Picture | string {
  if (bytes.length > pictureBytesMax) return `The picture is larger than ${pictureBytesMax} bytes.`;
  const head = Buffer.from(bytes.subarray(0, signatureLength)).toString('hex');
  const [form, mediaType] = signatures.find(([, , pattern]) => pattern.test(head)) ?? [];
  if (mediaType === undefined) return 'The file is not a PNG, JPEG or WebP picture.';
  const { type, width, height } = measure(bytes);
  // A file can begin like one form, and have the size of another one.
  if (type !== form) return 'The file is not a whole picture of its form.';
  if (!(width >= 1 && width <= sideMax && height >= 1 && height <= sideMax)) {
    return `The picture is not between 1 and ${sideMax} pixels wide and high.`;
  }
  return { bytes: Buffer.from(bytes), mediaType };
}

function measure(bytes: Uint8Array): Pick<ReturnType<typeof imageSize>, 'type' | 'width' | 'height'> {
  try {
    return imageSize(bytes);
  } catch {
    return { width: 0, height: 0 };
  }
}

/** Returns the picture of a `data:` url in base64, or the reason why there is none. */
export function decodeDataUrl(url: string): Picture | string {
  const [, base64] = /^data:[\w/+.-]{1,64};base64,([A-Za-z0-9+/]+={0,2})$/.exec(url) ?? [];
  if (base64 === undefined) return 'The data url is not a picture in base64.';
  return toPicture(Buffer.from(base64, 'base64'));
}
