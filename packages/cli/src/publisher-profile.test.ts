import type { PublisherProfile } from '@adaptor-marketplace/adaptor/manifest';
import { expect, test } from 'vitest';
import { addProfileField } from './publisher-profile.ts';

const readFields = (...fields: string[]) =>
  fields.reduce<PublisherProfile | undefined>((profile, field) => addProfileField(field, profile), undefined);

test('the fields of a profile make the profile of a manifest', () => {
  const profile = readFields(
    'name=Reef = Labs',
    'domain=reef.example',
    'link=Chat=https://chat.example/?a=b',
    'icon=https://reef.example/icon.png',
    'link=Site=https://reef.example/',
  );
  expect(profile).toEqual({
    name: 'Reef = Labs',
    domain: 'reef.example',
    icon: 'https://reef.example/icon.png',
    links: [
      { label: 'Chat', url: 'https://chat.example/?a=b' },
      { label: 'Site', url: 'https://reef.example/' },
    ],
  });
});

test.each([
  ['another field', ['color=red'], /^Expected name=/],
  ['no value', ['name'], /^Expected name=/],
  ['an empty name', ['name='], /^name: /],
  ['a domain with a path', ['domain=reef.example/x'], /^domain: expected a domain/],
  ['an icon over http', ['icon=http://reef.example/i.png'], /^icon: expected an https url/],
  ['a link without its label', ['link=https://reef.example/'], /^link: |^Expected/],
  ['a second name', ['name=Reef', 'name=Tide'], /^name is given twice/],
  ['nine links', Array.from({ length: 9 }, (_, at) => `link=${at}=https://reef.example/`), /^link: /],
])('%s is refused before any request is sent', (_, fields, message) => {
  expect(() => readFields(...fields)).toThrow(message);
});
