import { z } from 'zod';

/** Path on a domain of the file that names the addresses of its publishers. */
export const domainProofPath = '/.well-known/adaptor-marketplace.json';

/** Bounds on the file: bytes, and addresses. */
export const domainProofLimits = { bytesMax: 64 * 1024, publishersMax: 256 };

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** A host name in lower case with a dot. The last label begins with a letter, so no address of a host matches. */
const domainName = new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$`);

/** `false` for `https://good.example@evil.example/`, which readers take for an address of another site. */
const hasNoUser = (url: string): boolean => {
  const { username = '', password = '' } = URL.parse(url) ?? {};
  return username === '' && password === '';
};

const secureLink = z
  .url({ protocol: /^https$/, error: 'expected an https url' })
  .max(2048)
  .refine(hasNoUser, 'expected an url without a user name');

/** Profile of the publisher. Anyone can write any name: only a domain can be proven. */
export const publisherProfile = z
  .looseObject({
    name: z.string().min(1).max(64).optional().describe('Name that the publisher gives itself.'),
    domain: z
      .string()
      .max(253)
      .regex(domainName, 'expected a domain in lower case, such as example.com')
      .refine((domain) => URL.parse(`https://${domain}`)?.hostname === domain, 'expected a valid domain')
      .optional()
      .describe(`Domain of the publisher. It is shown while its ${domainProofPath} names the publisher.`),
    icon: secureLink.optional().describe('Url of a picture.'),
    links: z
      .array(z.looseObject({ label: z.string().min(1).max(32), url: secureLink }))
      .max(8)
      .optional()
      .describe('Links of the publisher, such as its site and its chat.'),
  })
  .meta({
    description: 'What the publisher says about itself. Nothing of it is proven but the domain, if it is.',
  });

export interface PublisherLink {
  label: string;
  url: string;
}

export interface PublisherProfile {
  name?: string | undefined;
  domain?: string | undefined;
  icon?: string | undefined;
  links?: PublisherLink[] | undefined;
}

const domainProof = z.looseObject({
  publishers: z.array(z.string().regex(/^0x[0-9a-fA-F]{1,64}$/)).max(domainProofLimits.publishersMax),
});

/**
 * Checks the file of a domain: JSON with `publishers`, a list of addresses.
 * @param publisher address of 64 hex digits in lower case
 * @returns the reason why the file does not prove the domain; undefined if it names the publisher
 */
export function findProofFault(bytes: Uint8Array, publisher: string): string | undefined {
  const { data, error } = domainProof.safeParse(readJson(bytes));
  if (error) {
    return `The file is not JSON of the form {"publishers": ["0x…"]} with at most ${domainProofLimits.publishersMax} addresses.`;
  }
  const isNamed = data.publishers.some((address) => BigInt(address) === BigInt(publisher));
  return isNamed ? undefined : `The file does not name the publisher ${publisher}.`;
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
