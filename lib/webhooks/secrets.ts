import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts subscribers' secrets, so that the store alone reveals none. */
export interface SecretBox {
  /** @param subscription the id that the secret belongs to; it opens under no other */
  seal(secret: string, subscription: string): string;
  /** Undefined where it was sealed under another admin secret, or tampered with. */
  open(sealed: string, subscription: string): string | undefined;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Seals with AES-256-GCM under a key derived from the host's admin secret (HKDF-SHA256, RFC 5869). */
export function secretBox(adminSecret: string): SecretBox {
  const key = Buffer.from(
    hkdfSync('sha256', adminSecret, '', 'adaptor-marketplace webhook secrets', keyBytes),
  );
  return {
    seal(secret, subscription) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(subscription));
      const sealed = Buffer.concat([
        nonce,
        cipher.update(secret, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return sealed.toString('base64url');
    },
    open(sealed, subscription) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < nonceBytes + tagBytes) return undefined;
      const nonce = bytes.subarray(0, nonceBytes);
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(subscription));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const opened = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([opened, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
