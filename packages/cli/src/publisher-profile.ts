import { type PublisherProfile, publisherProfile } from '@adaptor-marketplace/adaptor/manifest';
import { InvalidArgumentError } from 'commander';

const expected =
  "Expected name='Reef Labs', domain=reef.example, icon=https://reef.example/icon.png or link='Chat=https://chat.example'.";

/**
 * Adds a field of a publisher's profile, `field=text`, to those given before. A `link` is its label and its url, and may be
 * repeated.
 * @throws InvalidArgumentError for another field, one that is given twice, or one that no manifest can have
 */
export function addProfileField(text: string, earlier: PublisherProfile = {}): PublisherProfile {
  const [, field, value] = /^(name|domain|icon|link)=(.*)$/s.exec(text) ?? [];
  if (field === undefined || value === undefined) throw new InvalidArgumentError(expected);
  const { links = [] } = earlier;
  if (field !== 'link' && field in earlier) {
    throw new InvalidArgumentError(`${field} is given twice. Give it once.`);
  }
  const added = field === 'link' ? { links: [...links, readLink(value)] } : { [field]: value };
  const { data, error } = publisherProfile.safeParse({ ...earlier, ...added });
  if (data) return data;
  throw new InvalidArgumentError(`${field}: ${error.issues[0]!.message}. ${expected}`);
}

function readLink(text: string) {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(expected);
  return { label: text.slice(0, at), url: text.slice(at + 1) };
}
